import { chmod, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { CacheStep } from "./cache-step.ts";
import type { SourceFile } from "./cache-source.ts";
import { shown } from "./check-file-list.ts";
import type { WorkFolder } from "./disk/cache-folders.ts";
import { findHashFault } from "./disk/content-hash.ts";
import type { ManifestFile } from "./disk/manifest.ts";
import { openPartialFile, type PartialFile } from "./disk/partial-file.ts";
import { onDisk } from "./disk/to-disk-error.ts";
import { type RetryPolicy, waitBeforeRetry } from "./download/try-again.ts";
import { type FileNote, partialPaths, readFileNote, writeFileNote } from "./file-note.ts";
import type { ProgressMeter } from "./progress-meter.ts";

export interface FetchDeps {
  readonly work: WorkFolder;
  readonly policy: RetryPolicy;
  readonly progress: ProgressMeter;
  readonly step: CacheStep;
}

/** An attempt that brought so much counts as the first one again. */
const goodProgressBytes = 8 * 1024 * 1024;

/**
 * Brings one file to its place in the work folder: what came before is hashed again and gone on from, all bytes are hashed on
 * their way, the file is made durable, and only then, when size and hash fit, gets its name. What does not fit is fetched
 * once more from its beginning.
 * @throws AppError with the file's path in its detail; the reason of `signal`.
 */
export async function fetchFile(file: SourceFile, deps: FetchDeps, signal: AbortSignal): Promise<ManifestFile> {
  const paths = partialPaths(deps.work.partial, file.path);
  const note = await readFileNote(paths.note, file);
  // Without a hash to expect, only bytes that a whole file was seen to have can be trusted: those begin anew.
  if (file.sha256 === undefined && file.gitOid === undefined) await onDisk(() => rm(paths.bytes, { force: true }));
  const partial = await openPartialFile(paths.bytes, file, signal);
  deps.progress.resumed(partial.offset);
  try {
    await deps.step("file: opened");
    const { sha256, mtimeNs } = await receive({ file, partial, paths, note }, deps, signal);
    await writeFileNote(paths.note, { path: file.path, size: file.sizeBytes, etag: file.version ?? null, sha256 });
    await deps.step("file: noted as complete");
    await moveIntoPlace(paths.bytes, join(deps.work.files, file.path));
    await deps.step("file: in its place");
    deps.progress.fileDone();
    return { path: file.path, size: file.sizeBytes, sha256, mtime_ns: mtimeNs };
  } catch (error) {
    await partial.keep();
    throw nameFile(error, file.path);
  } finally {
    await partial.close();
  }
}

interface Reception {
  readonly file: SourceFile;
  readonly partial: PartialFile;
  readonly paths: { readonly bytes: string; readonly note: string };
  readonly note: FileNote | undefined;
}

async function receive(reception: Reception, deps: FetchDeps, signal: AbortSignal) {
  const { file, partial } = reception;
  let restarts = 0;
  for (;;) {
    try {
      await receiveAll(reception, deps, signal);
      await deps.step("file: received");
      const found = await partial.finish();
      await deps.step("file: durable");
      const fault = findHashFault(found, file);
      if (fault === undefined) return found;
      throw new AppError("CACHE_CHECKSUM_MISMATCH", { detail: fault });
    } catch (error) {
      signal.throwIfAborted();
      if (!isWorthRestarting(error) || restarts++ > 0) throw error;
      deps.progress.retry();
      deps.progress.bytes(-partial.offset);
      await partial.restart();
      await deps.step("file: begun anew");
    }
  }
}

const isWorthRestarting = (error: unknown): boolean =>
  error instanceof AppError && (error.reason === "CACHE_CHECKSUM_MISMATCH" || error.reason === "CACHE_SOURCE_CHANGED");

// Requests until all bytes have come, each for what is missing.
async function receiveAll({ file, partial, paths, note }: Reception, deps: FetchDeps, signal: AbortSignal) {
  let etag = note?.etag ?? undefined;
  const onEtag = async (found: string | undefined) => {
    if (found === etag) return;
    etag = found;
    await writeFileNote(paths.note, { path: file.path, size: file.sizeBytes, etag: found ?? null, sha256: null });
    await deps.step("file: version noted");
  };
  for (let attempt = 1; partial.offset < file.sizeBytes; attempt++) {
    const before = partial.offset;
    try {
      await receiveSome({ file, partial, etag, onEtag }, deps, signal);
    } catch (error) {
      if (partial.offset - before >= goodProgressBytes) attempt = 1;
      await waitBeforeRetry(error, { attempt, policy: deps.policy }, signal);
      deps.progress.retry();
    }
  }
}

interface Part {
  readonly file: SourceFile;
  readonly partial: PartialFile;
  readonly etag: string | undefined;
  readonly onEtag: (etag: string | undefined) => Promise<void>;
}

async function receiveSome({ file, partial, etag, onEtag }: Part, { progress, step }: FetchDeps, signal: AbortSignal) {
  const opened = await file.open({ offset: partial.offset, etag }, signal);
  try {
    if (opened.offset !== partial.offset) {
      // The server sends all of it, because it is another version or because it sends no parts.
      progress.bytes(-partial.offset);
      await partial.restart();
    }
    await onEtag(opened.etag);
    for await (const chunk of opened.body) {
      signal.throwIfAborted();
      await partial.append(chunk);
      progress.bytes(chunk.length);
      await step("file: bytes received");
    }
    await partial.flush();
  } finally {
    opened.discard();
  }
  if (partial.offset >= file.sizeBytes) return;
  const detail = `It ended after ${partial.offset} of ${file.sizeBytes} bytes.`;
  throw new AppError("CACHE_SOURCE_FAILED", { detail });
}

async function moveIntoPlace(from: string, to: string): Promise<void> {
  await onDisk(async () => {
    await mkdir(dirname(to), { recursive: true, mode: 0o755 });
    await rename(from, to);
    await chmod(to, 0o444);
  });
}

function nameFile(error: unknown, path: string): unknown {
  if (!(error instanceof AppError)) return error;
  const detail = [`${shown(path)}:`, error.details.detail].filter(Boolean).join(" ");
  return new AppError(error.reason, { ...error.details, detail }, error);
}
