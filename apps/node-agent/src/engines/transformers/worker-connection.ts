import { AppError } from "@attune/service-kit/app-error.ts";
import { type ChatBacklog, createChatBacklog } from "../chat-backlog.ts";
import type { EngineProcess } from "../engine-process.ts";
import { readLines } from "./read-lines.ts";
import { type ServeCommand, type ServeEvent, serveEvent } from "./serve-event.ts";
import { toServeError } from "./to-serve-error.ts";

/** Bytes of one line; a worker writes at most 32 KiB. */
const maxLineBytes = 256 * 1024;
/** Lines that cannot be understood and are written to the log one by one; the rest is only counted. */
const maxNotes = 50;

type RequestEvent = Extract<ServeEvent, { type: "delta" | "usage" | "finished" | "error" }>;

/** What a worker says of itself, not of an answer. */
export type WorkerEvent = Extract<ServeEvent, { type: "hello" | "progress" | "ready" | "error" }>;

export interface WorkerConnection {
  send(command: ServeCommand): void;
  /** Opens an answer; events of other requests never come to it. */
  open(requestId: string, onSign: () => void): OpenAnswer;
  /** What comes for it from now on is passed over. */
  forget(requestId: string): void;
  /** Ends every answer that is under way with this error, and those that are asked for later. */
  fail(error: AppError): void;
}

export interface OpenAnswer {
  readonly backlog: ChatBacklog;
  /** Resolves when the worker said that it works on it no more, or is gone; also when the answer failed before. */
  readonly finished: Promise<void>;
}

interface Answer extends OpenAnswer {
  readonly onSign: () => void;
  readonly finish: () => void;
  /** Index of the next piece of text. */
  next: number;
}

/** Speaks JSON lines with a worker, and believes nothing that is not of the protocol's form. */
export function connectWorker(process: EngineProcess, onEvent: (event: WorkerEvent) => void): WorkerConnection {
  const answers = new Map<string, Answer>();
  let failure: AppError | undefined;
  const note = createNotes(process);
  const take = (event: ServeEvent): void => {
    if (event.type === "pong") return;
    if (event.type === "hello" || event.type === "progress" || event.type === "ready") return onEvent(event);
    const { request_id: requestId } = event;
    if (event.type === "error" && (requestId === undefined || requestId === null)) return onEvent(event);
    const answer = answers.get(requestId ?? "");
    if (answer === undefined) return note(`an event ${event.type} for a request that nobody waits for: ${requestId}`);
    passOn(event, answer);
  };
  const end = (error: AppError): void => {
    for (const answer of answers.values()) {
      answer.backlog.fail(error);
      answer.finish();
    }
  };
  readLines(process.stdout, maxLineBytes, {
    onLine: (line) => {
      const event = parse(line);
      if (event === undefined) note(`a line that is not of the protocol: ${line.slice(0, 500)}`);
      else take(event);
    },
    onTooLong: (bytes) => note(`a line of ${bytes} bytes was passed over`),
    onEnd: (bytes) => bytes > 0 && note(`the last line was cut off after ${bytes} bytes`),
  });
  return {
    send: (command) => {
      if (!process.stdin.destroyed) process.stdin.write(`${JSON.stringify(command)}\n`);
    },
    open: (requestId, onSign) => {
      const backlog = createChatBacklog();
      const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
      answers.set(requestId, { backlog, finished, finish, onSign, next: 0 });
      if (failure !== undefined) end(failure);
      return { backlog, finished };
    },
    forget: (requestId) => void answers.delete(requestId),
    fail: (error) => {
      failure ??= error;
      end(failure);
    },
  };
}

function createNotes({ log }: EngineProcess): (text: string) => void {
  let notes = 0;
  return (text) => {
    notes++;
    if (notes <= maxNotes) log.note(text);
    if (notes === maxNotes) log.note("more lines of this kind are not written here");
  };
}

function parse(line: string): ServeEvent | undefined {
  try {
    return serveEvent.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function passOn(event: RequestEvent, answer: Answer): void {
  const { backlog } = answer;
  answer.onSign();
  if (event.type === "delta") {
    // A piece of text that was lost on the way must not look like an answer.
    if (event.i !== answer.next) backlog.fail(lost(answer.next));
    answer.next = event.i + 1;
    backlog.push({ type: "delta", text: event.text });
  } else if (event.type === "usage") {
    const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = event;
    backlog.push({ type: "usage", promptTokens, completionTokens });
  } else {
    if (event.type === "finished") backlog.push({ type: "done", finish: event.finish });
    else backlog.fail(toServeError(event));
    answer.finish();
  }
}

const lost = (index: number): AppError =>
  new AppError("INFERENCE_ENGINE_FAILED", { detail: `Piece ${index} of the answer was lost.` });
