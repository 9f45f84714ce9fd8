import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GrowingBytes } from "./growing-bytes.ts";

describe("GrowingBytes", () => {
  it("gives back what was appended, whatever the sizes and the guess", () => {
    const property = fc.property(fc.array(fc.uint8Array({ maxLength: 20_000 })), fc.nat(100_000), (chunks, guess) => {
      const bytes = new GrowingBytes(guess);
      for (const chunk of chunks) bytes.append(chunk);
      expect(Buffer.from(bytes.view()).equals(Buffer.concat(chunks))).toBe(true);
      expect(bytes.sizeBytes).toBe(Buffer.concat(chunks).length);
      const taken = bytes.take();
      expect(Buffer.from(taken).equals(Buffer.concat(chunks))).toBe(true);
      expect([taken.buffer.byteLength, bytes.sizeBytes]).toEqual([taken.length, 0]);
    });
    fc.assert(property);
  });
});
