import type { CacheEntryView, CacheSourceRequest, PrepareRequest } from "@attune/contracts/compute/cache-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { CacheContext } from "./cache-context.ts";
import type { CacheSource } from "./cache-source.ts";
import { type CacheTask, isRunning, viewTask } from "./cache-tasks.ts";
import type { EntryId } from "./disk/cache-folders.ts";
import { seeEntry, toFailure } from "./entry-views.ts";
import { keyTaken, prepareEntry } from "./prepare-entry.ts";
import { discardUnfinished } from "./remove-entry.ts";
import { createFilesSource } from "./sources/files-source.ts";
import { fingerprint } from "./sources/fingerprint.ts";
import { createHubSource } from "./sources/hub-source.ts";
import { createLocalSource } from "./sources/local-source.ts";
import { readWorkNote, writeWorkNote } from "./work-note.ts";

/** Finds an entry made, joins its making, or begins it. */
export async function beginPreparation(request: PrepareRequest, context: CacheContext): Promise<CacheEntryView> {
  const source = createSource(request, context);
  const id: EntryId = { kind: request.kind, key: request.key ?? source.suggestedKey };
  const present = await seeEntry(id, context);
  // From here to `start` nothing is waited for, so that of two callers the second one joins the first.
  const running = context.tasks.find(id);
  if (running !== undefined && isRunning(running)) return joinTask(running, source);
  if (present?.view.state === "ready") {
    if (present.fingerprint !== source.fingerprint) throw keyTaken(present.view.source?.name ?? "unknown");
    return present.view;
  }
  const preparation = {
    id,
    source,
    unsafeFiles: request.unsafe_files,
    storedRequest: withoutSecrets(request.source),
  };
  const task = context.tasks.start({
    id,
    work: "prepare",
    source: { type: source.type, name: source.name },
    fingerprint: source.fingerprint,
    run: async ({ progress, abort }) => {
      const manifest = await prepareEntry(preparation, { ...context, progress }, abort.signal);
      const about = { kind: id.kind, key: id.key, files: manifest.files.length, revision: manifest.revision };
      context.logger.info(about, "an entry of the cache is ready");
    },
    onFailure: (own, error) => keepOrDiscard(own, error, context),
  });
  return viewTask(task);
}

// What becomes of unsafe files is part of what is wanted.
function createSource(request: PrepareRequest, context: CacheContext): CacheSource {
  const source = createPlainSource(request, context);
  return { ...source, fingerprint: fingerprint([source.fingerprint, request.unsafe_files]) };
}

function createPlainSource({ kind, source }: PrepareRequest, { http, settings }: CacheContext): CacheSource {
  if (source.type === "files") return createFilesSource(source, http);
  if (source.type === "local") return createLocalSource(source, settings);
  return createHubSource(source, { kind, http, settings });
}

function joinTask(task: CacheTask, source: CacheSource): CacheEntryView {
  if (task.work === "verify") throw new AppError("CACHE_ENTRY_BUSY", { detail: "It is being verified." });
  if (task.fingerprint !== source.fingerprint) throw keyTaken(task.source?.name ?? "unknown");
  return viewTask(task);
}

// Links carry rights, and so do tokens: a request with one cannot be gone on with without its caller.
function withoutSecrets(source: CacheSourceRequest): CacheSourceRequest | null {
  if (source.type === "files") return null;
  return source.type === "hub" && source.token !== undefined ? null : source;
}

async function keepOrDiscard({ id }: CacheTask, error: AppError, context: CacheContext): Promise<void> {
  if (error.reason === "CACHE_CANCELLED") return discardUnfinished(id, context);
  // A stop of the agent is no failure: what has come is gone on with.
  if (error.reason === "CACHE_INTERRUPTED") return;
  const work = context.folders.work(id);
  const note = await readWorkNote(work);
  if (note !== undefined) await writeWorkNote(work, { ...note, failure: toFailure(error) });
}
