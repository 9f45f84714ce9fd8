import type { ServerHttp2Stream } from "node:http2";
import { freeMemory } from "@attune/service-kit/free-memory.ts";
import { ServerInterceptingCall } from "@grpc/grpc-js";
import type { ParseOutcome } from "../pipeline/parse-call.ts";
import { partsOfResponse } from "./parse-messages.ts";

type CallParameters = ConstructorParameters<typeof ServerInterceptingCall>;

// The frame that each answer was written into, until it is sent.
const frames = new WeakMap<object, Uint8Array>();

/**
 * A call that gives the memory of its answer back when the system has taken the last of its bytes: the text, which nobody
 * uses any more, and the frame. Those of a call that ended before are left to the collector.
 */
export class FreeingCall extends ServerInterceptingCall {
  readonly #stream: Pick<ServerHttp2Stream, "destroyed">;

  constructor(stream: Pick<ServerHttp2Stream, "destroyed">, ...parameters: CallParameters) {
    super(...parameters);
    this.#stream = stream;
  }

  override sendMessage(message: unknown, callback: () => void): void {
    super.sendMessage(message, () => {
      // A destroyed stream calls its writes done while the socket may still be at their bytes (Node: Http2Stream::Destroy).
      if (!this.#stream.destroyed && typeof message === "object" && message !== null) free(message);
      callback();
    });
  }
}

function free(message: object): void {
  const frame = frames.get(message);
  if (frame === undefined) return;
  freeMemory(frame);
  if ("content" in message && message.content instanceof Uint8Array) freeMemory(message.content);
}

/**
 * Serialises an answer for grpc-js, which asks of a message its `byteLength`, and that it copy itself into the frame that it
 * has made: the text goes there straight.
 */
export function serializeResponse(outcome: ParseOutcome): Buffer {
  const parts = partsOfResponse(outcome);
  const message: Pick<Buffer, "byteLength"> & { copy(frame: Uint8Array, at: number): void } = {
    byteLength: parts.reduce((sum, part) => sum + part.length, 0),
    copy: (frame, at) => {
      frames.set(outcome, frame);
      let end = at;
      for (const part of parts) {
        frame.set(part, end);
        end += part.length;
      }
    },
  };
  return message as unknown as Buffer;
}
