import { AppError } from "@attune/service-kit/app-error.ts";
import type { ChatEvent } from "./inference-engine.ts";

/** Characters of an answer that may wait for its reader. */
const maxWaiting = 16 * 1024 * 1024;

/** What an engine has said of one answer and nobody has read yet. Text that waits is joined, so that a slow reader costs little. */
export interface ChatBacklog {
  /** What comes after the last event, or after a failure, is passed over. */
  push(event: ChatEvent): void;
  /** What is read after what already waits. */
  fail(error: Error): void;
  /** The next event; undefined after the last one. @throws the failure */
  next(): Promise<ChatEvent | undefined>;
  /** Whether `done` or a failure has come. */
  readonly isComplete: boolean;
  /** Resolves when it has; never rejects. */
  readonly completed: Promise<void>;
}

export function createChatBacklog(): ChatBacklog {
  const waiting: ChatEvent[] = [];
  let characters = 0;
  let end: { readonly error: Error | undefined } | undefined;
  let wake: (() => void) | undefined;
  const completed = Promise.withResolvers<void>();
  const finish = (error: Error | undefined): void => {
    end ??= { error };
    completed.resolve();
  };
  const add = (event: ChatEvent): void => {
    const last = waiting.at(-1);
    if (event.type === "delta" && last?.type === "delta") {
      waiting[waiting.length - 1] = { type: "delta", text: last.text + event.text };
    } else waiting.push(event);
    if (event.type === "delta") characters += event.text.length;
    if (characters > maxWaiting) finish(tooMuch());
    if (event.type === "done") finish(undefined);
  };
  return {
    push: (event) => {
      if (end !== undefined) return;
      add(event);
      wake?.();
    },
    fail: (error) => {
      finish(error);
      wake?.();
    },
    next: async () => {
      while (waiting.length === 0) {
        if (end?.error !== undefined) throw end.error;
        if (end !== undefined) return undefined;
        await new Promise<void>((resolve) => (wake = resolve));
      }
      const event = waiting.shift();
      if (event?.type === "delta") characters -= event.text.length;
      return event;
    },
    get isComplete() {
      return end !== undefined;
    },
    completed: completed.promise,
  };
}

const tooMuch = (): AppError =>
  new AppError("INFERENCE_ENGINE_FAILED", { detail: "It wrote more of an answer than can wait to be read." });
