import { expect, test } from "vitest";
import { freeMemory } from "./free-memory.ts";

test("a large buffer that has its memory to itself is empty afterwards, however often it is freed", () => {
  const bytes = Buffer.allocUnsafeSlow(1 << 20);
  freeMemory(bytes);
  freeMemory(bytes);
  expect([bytes.length, bytes.buffer.byteLength]).toEqual([0, 0]);
});

test.each([
  ["a part of a buffer", () => Buffer.allocUnsafeSlow(1 << 20).subarray(1)],
  ["memory that buffers share", () => Buffer.allocUnsafe(1000)],
  ["a small buffer", () => Buffer.allocUnsafeSlow(1000)],
  ["memory that threads share", () => new Uint8Array(new SharedArrayBuffer(1 << 20))],
])("%s is left alone", (_, make) => {
  const bytes = make();
  const sizeBytes = bytes.length;
  freeMemory(bytes);
  expect(bytes.length).toBe(sizeBytes);
});
