import { AppError } from "@attune/service-kit/app-error.ts";
import { type BlockingChannel, openBlockingChannel } from "./blocking-channel.ts";
import type { FailureMessage, JobMessage, ReadyMessage, ResultMessage } from "./messages.ts";

/** What one document came to; the pipe adds what it knows itself. */
export interface JobResult {
  readonly content: Uint8Array;
  readonly contentLength: number;
  readonly isEmpty: boolean;
  readonly warnings: readonly string[];
}

export type RunJob = (job: JobMessage, bytes: Uint8Array) => Promise<JobResult>;

const channelDescriptor = 3;
const maxDiagnosticCharacters = 8000;

/** The life of a worker: says that it is ready, then does one job after the other until the service closes the pipe. */
export async function serveJobs(run: RunJob): Promise<void> {
  const channel = openBlockingChannel(channelDescriptor);
  channel.write({ kind: "ready", jobId: 0, rssBytes: residentBytes() } satisfies ReadyMessage);
  for (let frame = channel.read(); frame !== undefined; frame = channel.read()) {
    await serveJob(channel, frame.head as JobMessage, { run, bytes: frame.body });
    // Lets what the document left behind run now, and not into the next one.
    await new Promise(setImmediate);
  }
}

interface JobToServe {
  readonly run: RunJob;
  readonly bytes: Uint8Array;
}

async function serveJob(channel: BlockingChannel, job: JobMessage, { run, bytes }: JobToServe): Promise<void> {
  try {
    const { content, ...figures } = await run(job, bytes);
    channel.write(
      { kind: "result", jobId: job.jobId, ...figures, rssBytes: residentBytes() } satisfies ResultMessage,
      content,
    );
  } catch (error) {
    channel.write(toFailure(toJobError(error), job.jobId));
  }
}

// A reader's own errors have been sorted where it was called; this is for what came before and after.
function toJobError(error: unknown): unknown {
  const isMemory = error instanceof RangeError && /allocat|memory|array length/i.test(error.message);
  return isMemory ? new AppError("MEMORY_EXCEEDED", {}, error) : error;
}

function toFailure(error: unknown, jobId: number): FailureMessage {
  const { reason, detail } = error instanceof AppError ? { reason: error.reason, ...error.details } : internal;
  return {
    kind: "failure",
    jobId,
    reason,
    ...(detail !== undefined && { detail }),
    diagnostic: describe(error).slice(0, maxDiagnosticCharacters),
    rssBytes: residentBytes(),
  };
}

const internal = { reason: "INTERNAL", detail: undefined };

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${describe(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

// Without /proc only the peak is known.
function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}
