import { AppError } from "@attune/service-kit/app-error.ts";
import { freeMemory } from "@attune/service-kit/free-memory.ts";
import { type BlockingChannel, openBlockingChannel } from "./blocking-channel.ts";
import type { Frame } from "./frame.ts";
import type { FailureMessage, JobMessage, ReadyMessage, ResultMessage, TextMessage } from "./messages.ts";
import type { AskService } from "./remote-recogniser.ts";
import { residentBytes } from "./resident-bytes.ts";

/** What one document came to; the pipe adds what it knows itself. */
export interface JobResult {
  /** The text, or what is left of it after the pieces that were sent. */
  readonly content: Uint8Array;
  /** Unicode code points of the whole text. */
  readonly contentLength: number;
  readonly isEmpty: boolean;
  readonly warnings: readonly string[];
}

/** The service, as a job may talk to it until it ends. */
export interface JobChannel {
  readonly ask: AskService;
  /** Sends a piece of the text ahead of the result and frees it; `TextMessage` tells what it must be. */
  readonly sendText: (piece: Uint8Array) => void;
}

export type RunJob = (job: JobMessage, bytes: Uint8Array, service: JobChannel) => Promise<JobResult>;

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
    freeMemory(frame.body);
  }
}

interface JobToServe {
  readonly run: RunJob;
  readonly bytes: Uint8Array;
}

async function serveJob(channel: BlockingChannel, job: JobMessage, { run, bytes }: JobToServe): Promise<void> {
  try {
    const { content, ...figures } = await run(job, bytes, {
      ask: (question, body) => exchange(channel, question, body),
      sendText: (piece) => {
        channel.write({ kind: "text", jobId: job.jobId, rssBytes: residentBytes() } satisfies TextMessage, piece);
        freeMemory(piece);
      },
    });
    channel.write(
      { kind: "result", jobId: job.jobId, ...figures, rssBytes: residentBytes() } satisfies ResultMessage,
      content,
    );
  } catch (error) {
    channel.write(toFailure(toJobError(error), job.jobId));
  }
}

// The service answers each question before it says anything else.
function exchange(channel: BlockingChannel, question: object, body: Uint8Array | undefined): Frame {
  channel.write(question, body);
  const reply = channel.read();
  // The service has gone, and nobody waits for the document any more.
  if (reply === undefined) process.exit(0);
  return reply;
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
