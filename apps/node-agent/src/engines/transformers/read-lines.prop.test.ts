import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readLines } from "./read-lines.ts";

async function read(pieces: readonly Buffer[], maxBytes: number) {
  const stream = new PassThrough();
  const lines: string[] = [];
  const tooLong: number[] = [];
  const ended = new Promise<number>((resolve) => {
    readLines(stream, maxBytes, {
      onLine: (line) => void lines.push(line),
      onTooLong: (bytes) => void tooLong.push(bytes),
      onEnd: resolve,
    });
  });
  for (const piece of pieces) stream.write(piece);
  stream.end();
  return { lines, tooLong, unfinished: await ended };
}

test("lines come whole, however the bytes are cut", async () => {
  const text = fc.string({ unit: "grapheme", maxLength: 20 }).map((line) => line.replaceAll("\n", ""));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 10 }), fc.integer({ min: 1, max: 9 }), async (lines, size) => {
      const bytes = Buffer.from(`${lines.join("\n")}\nrest`);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const expected = lines.length === 0 ? [""] : lines;
      expect(await read(pieces, 1000)).toEqual({ lines: expected, tooLong: [], unfinished: 4 });
    }),
  );
});

test("a line that is too long is passed over, and the next one is read", async () => {
  const pieces = [Buffer.from("ab"), Buffer.alloc(5000, "x"), Buffer.alloc(5000, "x"), Buffer.from("\nnext\n")];
  expect(await read(pieces, 100)).toEqual({ lines: ["next"], tooLong: [10_002], unfinished: 0 });
});
