import type { ServerInterceptingCallInterface } from "@grpc/grpc-js";
import { describe, expect, test } from "vitest";
import type { ParseSuccess } from "../pipeline/parse-call.ts";
import { FreeingCall, serializeResponse } from "./free-answers.ts";
import { partsOfResponse } from "./parse-messages.ts";

const answerOf = (content: Uint8Array): ParseSuccess => ({
  success: true,
  content,
  contentLength: content.length,
  message: "",
  fileType: "txt",
  parserEngine: "builtin",
});

test("an answer is copied into the frame of the library as its parts are", () => {
  const outcome = answerOf(Buffer.from("text"));
  const message = serializeResponse(outcome);
  const frame = Buffer.alloc(message.byteLength + 5);
  message.copy(frame, 5);
  expect(frame.subarray(5).equals(Buffer.concat(partsOfResponse(outcome)))).toBe(true);
});

describe("the memory of an answer", () => {
  // As the library does it: serialises, writes, and calls back when the write is done.
  function send(stream: { destroyed: boolean }) {
    const outcome = answerOf(Buffer.alloc(1 << 20, "x"));
    let frame = Buffer.alloc(0);
    let finish = (): void => undefined;
    const sendMessage = (message: ParseSuccess, callback: () => void): void => {
      const serialized = serializeResponse(message);
      frame = Buffer.allocUnsafeSlow(serialized.byteLength + 5);
      serialized.copy(frame, 5);
      finish = callback;
    };
    const next = {
      sendMessage,
      sendMetadata: () => undefined,
    } as unknown as ServerInterceptingCallInterface;
    let isCalledBack = false;
    new FreeingCall(stream, next).sendMessage(outcome, () => (isCalledBack = true));
    const sizes = () => [outcome.content.length, frame.length];
    return { sizes, finish: () => finish(), isCalledBack: () => isCalledBack };
  }

  test("is kept until the answer is written, and then goes back", () => {
    const sent = send({ destroyed: false });
    expect(sent.sizes().every((size) => size >= 1 << 20)).toBe(true);
    sent.finish();
    expect([...sent.sizes(), sent.isCalledBack()]).toEqual([0, 0, true]);
  });

  test("is left alone when the call has ended before, because the socket may still be at it", () => {
    const sent = send({ destroyed: true });
    sent.finish();
    expect(sent.sizes().every((size) => size >= 1 << 20)).toBe(true);
    expect(sent.isCalledBack()).toBe(true);
  });
});
