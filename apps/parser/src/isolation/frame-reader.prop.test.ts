import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeFrameStart } from "./frame.ts";
import { createFrameReader } from "./frame-reader.ts";
import { parseWorkerMessage } from "./parse-worker-message.ts";

const maxBodyBytes = 4096;

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

function errorOf(act: () => void): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("a frame reader", () => {
  it("gives back the frames that were sent, wherever the pipe cuts them", () => {
    const frames = fc.array(fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.uint8Array({ maxLength: 300 })));
    fc.assert(
      fc.property(frames, fc.array(fc.nat()), (sent, places) => {
        const bytes = Buffer.concat(sent.flatMap(([head, body]) => [encodeFrameStart(head, body.length), body]));
        const reader = createFrameReader(maxBodyBytes);
        const received = cut(bytes, places).flatMap((chunk) => reader.push(chunk));
        expect(received.map(({ head, body }) => [head, [...body]])).toEqual(
          sent.map(([head, body]) => [JSON.parse(JSON.stringify(head)), [...body]]),
        );
      }),
    );
  });

  it("takes no more memory than allowed, and only ever throws an Error, whatever comes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 })), (chunks) => {
        const reader = createFrameReader(maxBodyBytes);
        const thrown = errorOf(() => {
          for (const chunk of chunks) for (const frame of reader.push(Buffer.from(chunk))) parseWorkerMessage(frame);
        });
        expect(thrown === undefined || thrown instanceof Error).toBe(true);
      }),
    );
  });

  it("refuses a body longer than allowed before it comes", () => {
    const prefix = encodeFrameStart({}, maxBodyBytes + 1).subarray(0, 8);
    expect(() => createFrameReader(maxBodyBytes).push(prefix)).toThrow("body of 4097 bytes");
  });
});

describe("a worker's message", () => {
  const result = { kind: "result", jobId: 1, rssBytes: 1, contentLength: 2, isEmpty: false, warnings: [] };

  it("is taken when it is whole", () => {
    expect(parseWorkerMessage({ head: result, body: Buffer.from("né") })).toMatchObject({ contentLength: 2 });
  });

  it.each([
    ["another length", result, Buffer.from("n")],
    ["content that is not UTF-8", result, Buffer.from([0xff, 0xff])],
    ["an unknown member", { ...result, path: "/etc" }, Buffer.from("né")],
    ["an unknown kind", { ...result, kind: "other" }, Buffer.from("né")],
    ["no object", null, Buffer.alloc(0)],
    [
      "a failure of the call",
      { kind: "failure", jobId: 1, rssBytes: 1, reason: "QUEUE_FULL", diagnostic: "" },
      Buffer.alloc(0),
    ],
    [
      "a failure with a body",
      { kind: "failure", jobId: 1, rssBytes: 1, reason: "INTERNAL", diagnostic: "" },
      Buffer.alloc(1),
    ],
  ])("is refused with %s", (_, head, body) => {
    expect(() => parseWorkerMessage({ head, body })).toThrow(Error);
  });

  it.each(["__proto__", "constructor"])("cannot smuggle in %s", (name) => {
    const head: unknown = JSON.parse(`{"kind":"ready","jobId":0,"rssBytes":1,"${name}":{"polluted":true}}`);
    errorOf(() => parseWorkerMessage({ head, body: Buffer.alloc(0) }));
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
