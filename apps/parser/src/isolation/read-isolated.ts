import { AppError } from "@attune/service-kit/app-error.ts";
import type { ParsedText, Readable, ReadIsolated, StoredBytes } from "../engines/engine.ts";
import { findFormat } from "../detection/detect-format.ts";
import * as formatModules from "../formats.ts";
import type { DocumentLimits } from "../limits/budget.ts";
import { cleanDiagnostic } from "./clean-diagnostic.ts";
import type { ParseOptions } from "../overrides/parse-options.ts";
import { type Attempt, attemptJob, type JobAttempt } from "./attempt-job.ts";
import { causeOfDeath, describeExit, type WorkerExit } from "./exit-cause.ts";
import type { CheckedAnswer } from "./parse-worker-message.ts";
import type { PoolLogger } from "./pool-logger.ts";
import type { WorkerPoolSettings } from "./pool-settings.ts";
import type { PoolCounters } from "./pool-stats.ts";
import type { WaitEstimate } from "./wait-estimate.ts";
import type { Recogniser } from "../ocr/recogniser.ts";
import { storedInMemory } from "./stored-in-memory.ts";
import type { CrewMember, WorkerCrew } from "./worker-crew.ts";

export interface ReadIsolatedDeps {
  readonly settings: WorkerPoolSettings;
  readonly crew: WorkerCrew;
  readonly counters: PoolCounters;
  readonly estimate: WaitEstimate;
  /** Reads pictures of text for documents that bring none of their own. */
  readonly recogniser: Recogniser | undefined;
  readonly logger: PoolLogger | undefined;
}

/**
 * A document whose worker dies unexpectedly, or is killed for what it sent, is tried once more on another worker, because
 * the cause may have come from outside or from the document before; the second death is its own (`PARSER_CRASHED`). A death
 * by memory, a time-out and an abort are final.
 */
export function createReadIsolated(deps: ReadIsolatedDeps): ReadIsolated {
  return async (input, options, signal) => {
    const recogniser = input.recogniser ?? deps.recogniser;
    const work = { ...toWork(input, options, deps.settings), recogniser };
    deps.counters.documents += 1;
    const first = await tryOnce(deps, { ...work, isRetry: false }, signal);
    if (first.text !== undefined) return first.text;
    deps.counters.retried += 1;
    const second = await tryOnce(deps, { ...work, isRetry: true }, signal);
    if (second.text !== undefined) return second.text;
    throw new AppError("PARSER_CRASHED", { detail: `It ended twice, by ${describeExit(second.exit)}.` });
  };
}

type Try = { readonly text: ParsedText } | { readonly text: undefined; readonly exit: WorkerExit };

async function tryOnce(
  deps: ReadIsolatedDeps,
  work: JobAttempt & { isRetry: boolean },
  signal: AbortSignal,
): Promise<Try> {
  const { crew, estimate } = deps;
  const member = await crew.acquire(work.isRetry, signal);
  if (signal.aborted) {
    crew.release(member, false);
    throw signal.reason;
  }
  const startedAtMs = performance.now();
  const attempt = await attemptJob(member.worker, work, signal);
  estimate.add(performance.now() - startedAtMs);
  switch (attempt.kind) {
    case "answer":
      return { text: takeAnswer(deps, member, attempt.message) };
    case "aborted":
      crew.discard(member, "cancelled");
      throw signal.reason;
    case "timeout":
      crew.discard(member, "timeout");
      throw new AppError("PARSE_TIMEOUT", { detail: `It was stopped after ${Math.round(work.hardTimeoutMs)} ms.` });
    case "unreadable":
      crew.discard(member, "cancelled");
      throw attempt.error;
    case "death":
    default:
      return { text: undefined, exit: takeDeath(deps, member, attempt) };
  }
}

const mib = 1 << 20;

function takeAnswer(
  { settings, crew, counters, logger }: ReadIsolatedDeps,
  member: CrewMember,
  message: CheckedAnswer,
) {
  member.documents += 1;
  counters.peakRssBytes = Math.max(counters.peakRssBytes, message.rssBytes);
  if (message.kind === "failure" && message.reason === "MEMORY_EXCEEDED") crew.discard(member, "memory");
  const isUsedUp = member.documents >= settings.recycleAfterDocuments;
  crew.release(member, isUsedUp || message.rssBytes > settings.recycleAboveMib * mib);
  if (message.kind === "result") {
    const { content, contentLength, warnings, isEmpty } = message;
    return { content, contentLength, warnings, isEmpty };
  }
  if (message.kind === "ready") throw new TypeError("ready is no answer to a job");
  const { reason, detail, diagnostic } = message;
  const facts = { reason, diagnostic: cleanDiagnostic(diagnostic) };
  if (reason === "INTERNAL") logger?.warn(facts, "a worker failed on a document in a way it does not know");
  else logger?.debug(facts, "a worker could not read a document");
  throw new AppError(reason, detail === undefined ? {} : { detail });
}

/** @throws AppError when the death is final. */
function takeDeath(
  { crew, logger, settings }: ReadIsolatedDeps,
  member: CrewMember,
  { exit }: Extract<Attempt, { kind: "death" }>,
): WorkerExit {
  const cause = causeOfDeath(exit);
  crew.discard(member, cause);
  logger?.warn(
    { diagnostic: cleanDiagnostic(exit.stderr) },
    `a worker ended while it read a document: ${describeExit(exit)}`,
  );
  if (crew.isClosed) throw new AppError("SHUTTING_DOWN");
  if (cause === "memory") {
    throw new AppError("MEMORY_EXCEEDED", { detail: `It may use ${settings.memoryMib} MiB.` });
  }
  return exit;
}

/** Bytes per millisecond that even a busy machine moves into a worker. */
const slowestTransfer = 50_000;
const hardTimeoutFactor = 1.1;
const hardTimeoutSlackMs = 500;
/** A worker reads no more into one buffer. */
const maxFileBytes = 2 ** 31 - 1;

function toWork(input: Readable, options: ParseOptions, settings: WorkerPoolSettings): Omit<JobAttempt, "recogniser"> {
  const { fileName, format, charset } = input;
  const bytes = toStored(input.bytes);
  const limits = limitsFor(options, settings);
  const job: JobAttempt["job"] = {
    kind: "job",
    fileName,
    format,
    options,
    limits,
    ...(charset !== undefined && { charset }),
    ...(isSentInParts(bytes, format) && { fileBytes: bytes.sizeBytes }),
  };
  const hardTimeoutMs = limits.timeoutMs * hardTimeoutFactor + hardTimeoutSlackMs + bytes.sizeBytes / slowestTransfer;
  return { job, bytes, hardTimeoutMs };
}

/** Larger files that are read in parts are not held by the worker; a question for each part costs more time than a pipe. */
const maxSentBytes = 8 << 20;

function isSentInParts({ sizeBytes, openForAccess }: StoredBytes, format: string): boolean {
  return (
    sizeBytes > maxSentBytes &&
    openForAccess !== undefined &&
    findFormat(format, Object.values(formatModules))?.isReadInParts === true
  );
}

// Bytes that lie in memory go down the pipe as they are.
function toStored(bytes: Readable["bytes"]): StoredBytes {
  const stored = bytes instanceof Uint8Array ? storedInMemory(bytes) : bytes;
  if (stored.sizeBytes <= maxFileBytes) return stored;
  const detail = `It has ${stored.sizeBytes} bytes, and Attune's own readers take files of up to ${maxFileBytes}.`;
  throw new AppError("FILE_TOO_LARGE", { detail });
}

// A caller may ask for less than the service allows, and for more time up to a bound of its own.
function limitsFor({ maxPages, archiveDepth, timeoutMs }: ParseOptions, settings: WorkerPoolSettings): DocumentLimits {
  const { limits, maxTimeoutMs } = settings;
  return {
    ...limits,
    maxPages: Math.min(limits.maxPages, maxPages ?? limits.maxPages),
    maxArchiveDepth: Math.min(limits.maxArchiveDepth, archiveDepth ?? limits.maxArchiveDepth),
    timeoutMs: timeoutMs === undefined ? limits.timeoutMs : Math.min(timeoutMs, maxTimeoutMs),
  };
}
