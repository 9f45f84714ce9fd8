import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSse } from "./read-sse.ts";

async function read(text: string, sizes: readonly number[] = []): Promise<string[]> {
  const bytes = Buffer.from(text);
  const events: string[] = [];
  async function* pieces() {
    let at = 0;
    for (const size of sizes) yield bytes.subarray(at, (at += size));
    yield bytes.subarray(at);
  }
  for await (const event of readSse(pieces())) events.push(event);
  return events;
}

describe("readSse", () => {
  it.each([
    ["one event", "data: a\n\n", ["a"]],
    ["CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]],
    ["CR", "data: a\r\rdata: b\r\r", ["a", "b"]],
    ["no blank after the colon", "data:a\n\ndata:  b\n\n", ["a", " b"]],
    ["lines of one event", "data: a\ndata\ndata: b\n\n", ["a\n\nb"]],
    ["comments and fields", ": hi\n\nevent: x\nid: 1\nretry: 2\ndata: a\n\n", ["a"]],
    ["a byte order mark", "\ufeffdata: a\n\n", ["a"]],
    ["no end", "data: a\n\ndata: b", ["a", "b"]],
    ["nothing", "", []],
    ["blank lines", "\n\n\r\n\r", []],
    ["U+2028 inside", "data: a\u2028b\n\n", ["a\u2028b"]],
  ])("reads %s", async (_name, text, expected) => {
    expect(await read(text)).toEqual(expected);
    expect(await read(text, Array<number>(Buffer.byteLength(text)).fill(1))).toEqual(expected);
  });

  it("reads the same wherever bytes are cut", async () => {
    const part = fc.constantFrom("data: é🙂", "data:", ": c", "\n", "\r", "\r\n", "x", "event: y");
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 12 }), fc.array(fc.nat({ max: 5 })), async (parts, sizes) => {
        expect(await read(parts.join(""), sizes)).toEqual(await read(parts.join("")));
      }),
    );
  });

  it("stops at a line without end", async () => {
    async function* endless() {
      for (;;) yield Buffer.alloc(1_000_000, 65);
    }
    await expect(readSse(endless()).next()).rejects.toMatchObject({ reason: "MODEL_API_ANSWER_TOO_LARGE" });
  });
});
