import type { ServerResponse } from "node:http";
import { setImmediate as turnOfEventLoop } from "node:timers/promises";
import type { SseStyle } from "./fake-model-api-protocol.ts";

export interface SseWriter {
  event(json: unknown): Promise<void>;
  /** Writes `[DONE]`, unless the style leaves it out, and ends the answer. */
  end(): Promise<void>;
}

/** Writes server-sent events in a given style; waits while the caller does not read. */
export function createSseWriter(response: ServerResponse, style: SseStyle, signal: AbortSignal): SseWriter {
  const { lineEnding = "\n", hasComments = false, hasDone = true, hasOtherFields = false } = style;
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  const write = (text: string) => writeBytes(Buffer.from(text), { response, style, signal });
  let count = 0;
  const eventOf = (data: string): string => {
    const lines = hasOtherFields
      ? ["event: message", `id: ${++count}`, "retry: 100", `data:${data}`]
      : [`data: ${data}`];
    const comments = hasComments ? [": keep-alive", ""] : [];
    return [...comments, ...lines, "", ""].join(lineEnding);
  };
  return {
    event: (json) => write(eventOf(JSON.stringify(json))),
    end: async () => {
      if (hasDone) await write(eventOf("[DONE]"));
      response.end();
    },
  };
}

interface Target {
  readonly response: ServerResponse;
  readonly style: SseStyle;
  readonly signal: AbortSignal;
}

async function writeBytes(bytes: Buffer, { response, style, signal }: Target): Promise<void> {
  const pieceBytes = style.pieceBytes ?? bytes.length;
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    signal.throwIfAborted();
    const isTaken = response.write(bytes.subarray(at, at + pieceBytes));
    if (!isTaken) await drained(response, signal);
    // Each piece goes out by itself.
    if (style.pieceBytes !== undefined) await turnOfEventLoop();
  }
}

async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    response.once("drain", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
