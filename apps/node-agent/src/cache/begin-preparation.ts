import type { CacheEntryView, CacheSourceRequest, PrepareRequest } from "@attune/contracts/compute/cache-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { CacheContext } from "./cache-context.ts";
import type { CacheSource } from "./cache-source.ts";
import { type CacheTask, isRunning, viewTask } from "./cache-tasks.ts";
import type { EntryId } from "./disk/cache-folders.ts";
import { seeEntry, toFailure } from "./entry-views.ts";
import { keyTaken, type Preparation, prepareEntry } from "./prepare-entry.ts";
import { discardUnfinished } from "./remove-entry.ts";
import { discardRequestNotes, removeRequestNote, writeRequestNote } from "./request-note.ts";
import { createFilesSource } from "./sources/files-source.ts";
import { fingerprint } from "./sources/fingerprint.ts";
import { createHubSource } from "./sources/hub-source.ts";
import { createLocalSource } from "./sources/local-source.ts";
import { readWorkNote, writeWorkNote } from "./work-note.ts";

/** Finds an entry made, joins its making, or begins it: then a note of it is durable before this returns. */
export async function beginPreparation(request: PrepareRequest, context: CacheContext): Promise<CacheEntryView> {
  const source = createSource(request, context);
  const preparation: Preparation = {
    id: { kind: request.kind, key: request.key ?? source.suggestedKey },
    source,
    unsafeFiles: request.unsafe_files,
    storedRequest: withoutSecrets(request.source),
  };
  return context.oneAfterAnother(preparation.id, () => findOrBegin(preparation, context));
}

async function findOrBegin(preparation: Preparation, context: CacheContext): Promise<CacheEntryView> {
  const { id, source } = preparation;
  const running = context.tasks.find(id);
  if (running !== undefined && isRunning(running)) return joinTask(running, source);
  const present = await seeEntry(id, context);
  if (present?.view.state === "ready") {
    if (present.fingerprint !== source.fingerprint) throw keyTaken(present.view.source?.name ?? "unknown");
    return present.view;
  }
  const notePath = await writeRequestNote(preparation, context.folders);
  try {
    await context.step("request: noted");
    const view = viewTask(startTask(preparation, notePath, context));
    await forgetFormerRequests(id, notePath, context);
    return view;
  } catch (error) {
    await forgetRequest(notePath, context);
    throw error;
  }
}

function startTask(preparation: Preparation, notePath: string, context: CacheContext): CacheTask {
  const { id, source } = preparation;
  return context.tasks.start({
    id,
    work: "prepare",
    source: { type: source.type, name: source.name },
    fingerprint: source.fingerprint,
    run: async ({ progress, abort }) => {
      const manifest = await prepareEntry(preparation, { ...context, progress }, abort.signal);
      await forgetRequest(notePath, context);
      const about = { kind: id.kind, key: id.key, files: manifest.files.length, revision: manifest.revision };
      context.logger.info(about, "an entry of the cache is ready");
    },
    onFailure: async (_task, error) => {
      // A stop of the agent is no failure: what has come is gone on with.
      if (error.reason === "CACHE_INTERRUPTED") return;
      try {
        if (error.reason !== "CACHE_CANCELLED") await keepFailure(id, error, context);
      } finally {
        await forgetRequest(notePath, context);
      }
      if (error.reason === "CACHE_CANCELLED") await discardUnfinished(id, context);
    },
  });
}

// A note that stays leads to another look at the entry at the next start, and to nothing worse.
async function forgetRequest(notePath: string, { logger, step }: CacheContext): Promise<void> {
  try {
    await removeRequestNote(notePath);
    await step("request: done with");
  } catch (error) {
    logger.error({ error, path: notePath }, "the note of a request could not be removed");
  }
}

async function forgetFormerRequests(id: EntryId, notePath: string, { folders, logger }: CacheContext): Promise<void> {
  try {
    await discardRequestNotes(id, folders, notePath);
  } catch (error) {
    logger.error({ error, kind: id.kind, key: id.key }, "the notes of former requests could not be removed");
  }
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
  // A cancel is waited for: only the end of the agent aborts what is seen here.
  task.abort.signal.throwIfAborted();
  if (task.work === "verify") throw new AppError("CACHE_ENTRY_BUSY", { detail: "It is being verified." });
  if (task.fingerprint !== source.fingerprint) throw keyTaken(task.source?.name ?? "unknown");
  return viewTask(task);
}

// Links carry rights, and so do tokens: a request with one cannot be gone on with without its caller.
function withoutSecrets(source: CacheSourceRequest): CacheSourceRequest | null {
  if (source.type === "files") return null;
  return source.type === "hub" && source.token !== undefined ? null : source;
}

async function keepFailure(id: EntryId, error: AppError, { folders }: CacheContext): Promise<void> {
  const work = folders.work(id);
  const note = await readWorkNote(work);
  if (note !== undefined) await writeWorkNote(work, { ...note, failure: toFailure(error) });
}
