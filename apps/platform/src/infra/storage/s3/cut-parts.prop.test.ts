import fc from "fast-check";
import { expect, test } from "vitest";
import { collect } from "../store-fixture.contract.ts";
import { cutParts } from "./cut-parts.ts";

test("parts hold all bytes in order, each full but the last", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 40 })),
      fc.integer({ min: 1, max: 30 }),
      async (chunks, size) => {
        const parts = await collect(cutParts(toStream(chunks), size));
        expect(Buffer.concat(parts.map(({ bytes }) => bytes))).toEqual(Buffer.concat(chunks));
        expect(parts.map(({ partNumber, isLast }) => [partNumber, isLast])).toEqual(
          parts.map((_, index) => [index + 1, index === parts.length - 1]),
        );
        expect(parts.slice(0, -1).every(({ bytes }) => bytes.length === size)).toBe(true);
        expect(parts.length === 1 || (parts.at(-1)?.bytes.length ?? 0) > 0).toBe(true);
      },
    ),
  );
});

test("parts of an object too large for 10,000 of them grow", async () => {
  const sizes = async (count: number, total?: number) => {
    const found: number[] = [];
    for await (const { bytes } of cutParts(toStream(Array.from({ length: count }, () => Buffer.alloc(1))), 1, total)) {
      found.push(bytes.length);
    }
    return found;
  };
  expect(await sizes(18_000, 18_000)).toHaveLength(9_000);
  const grown = await sizes(3_500);
  expect([grown[999], grown[1000], grown.length]).toEqual([1, 2, 2_167]);
});

async function* toStream(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
