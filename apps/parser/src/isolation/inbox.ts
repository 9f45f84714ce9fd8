import type { Duplex } from "node:stream";
import { freeMemory } from "@attune/service-kit/free-memory.ts";
import { maxOcrPixels } from "../ocr/gray-picture.ts";
import type { Reply } from "./answer-question.ts";
import { createFrameReader } from "./frame-reader.ts";
import {
  type CheckedAnswer,
  type CheckedMessage,
  type CheckedQuestion,
  type CheckedText,
  parseWorkerMessage,
} from "./parse-worker-message.ts";
import { sendFrame } from "./send-frame.ts";
import { storedInMemory } from "./stored-in-memory.ts";
import { TextPieces } from "./text-pieces.ts";

/** What a worker says, one message for each that is asked for; anything else is a violation, for which it is killed. */
export interface Inbox {
  readonly violation: string | undefined;
  /** The message for this job, or undefined when there will be none. Rejects when a question of the job cannot be answered. */
  next(jobId: number): Promise<CheckedAnswer | undefined>;
  close(): void;
}

export interface InboxDeps {
  readonly maxContentBytes: number;
  readonly kill: () => void;
  readonly mayAsk: (question: CheckedQuestion) => boolean;
  /** Answers what a worker asks in the middle of its job. */
  readonly answer: (question: CheckedQuestion) => Promise<Reply>;
}

interface Waiting {
  readonly jobId: number;
  readonly resolve: (message: CheckedAnswer | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export function openInbox(channel: Duplex, deps: InboxDeps): Inbox {
  const reader = createFrameReader(Math.max(deps.maxContentBytes, maxOcrPixels));
  const pieces = new TextPieces(deps.maxContentBytes);
  let violation: string | undefined;
  let isClosed = false;
  let isAnswering = false;
  let waiting: Waiting | undefined;
  const deliver = (message: CheckedAnswer | undefined) => {
    const { resolve } = waiting ?? {};
    waiting = undefined;
    pieces.drop();
    resolve?.(message);
  };
  const reply = async (question: CheckedQuestion) => {
    const { head, body } = await deps.answer(question);
    freeMemory(question.content);
    // Before the reply is sent: the next question may come while the last of it is still on its way.
    isAnswering = false;
    if (!isClosed) await sendFrame(channel, head, storedInMemory(body));
    freeMemory(body);
  };
  const take = (message: CheckedMessage) => {
    if (message.jobId !== waiting?.jobId || isAnswering) throw new Error("a message that nobody asked for");
    if (isQuestion(message)) {
      if (!deps.mayAsk(message)) throw new Error(`${message.kind} asked for in vain`);
      isAnswering = true;
      reply(message).catch(waiting.reject);
    } else if (message.kind === "text") takePiece(message, pieces);
    else deliver(message.kind === "result" ? { ...message, content: pieces.end(message.content) } : message);
  };
  channel.on("data", (chunk: Buffer) => {
    if (violation !== undefined) return;
    try {
      for (const frame of reader.push(chunk)) take(parseWorkerMessage(frame, pieces.sizeBytes));
      freeMemory(chunk);
    } catch (error) {
      violation = (error as Error).message.slice(0, 200);
      deps.kill();
    }
  });
  return {
    get violation() {
      return violation;
    },
    next: (jobId) => (isClosed ? noMessage : new Promise((resolve, reject) => (waiting = { jobId, resolve, reject }))),
    close: () => {
      isClosed = true;
      deliver(undefined);
    },
  };
}

function takePiece({ jobId, content }: CheckedText, pieces: TextPieces): void {
  if (jobId === 0) throw new Error("text before the first job");
  pieces.add(content);
}

const noMessage = Promise.resolve(undefined);

const isQuestion = (message: CheckedMessage): message is CheckedQuestion =>
  message.kind === "part" || message.kind === "languages" || message.kind === "recognise";
