import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toContent } from "./to-content.ts";

const toBytes = ({ encoding, content }: ReturnType<typeof toContent>): Buffer =>
  Buffer.from(content, encoding === "base64" ? "base64" : "utf8");

describe("bytes as they are answered", () => {
  it("stand for a beginning of what was given, never for nothing of something, and for at most three bytes less", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => Buffer.from(text)),
    );
    const property = fc.property(bytes, fc.nat(40), (given, cut) => {
      const whole = Buffer.from(given).subarray(0, cut);
      const found = toContent(whole);
      expect(toBytes(found)).toEqual(whole.subarray(0, found.length));
      expect(whole.length - found.length).toBeLessThanOrEqual(3);
      expect(found.length > 0).toBe(whole.length > 0);
    });
    fc.assert(property, { numRuns: 2000 });
  });

  it("of a text are text wherever it is cut", () => {
    const property = fc.property(fc.string({ unit: "grapheme", minLength: 5 }), fc.nat(1000), (text, cut) => {
      fc.pre(!text.includes("\0"));
      const bytes = Buffer.from(text);
      const part = bytes.subarray(0, 4 + (cut % (bytes.length - 3)));
      expect(toContent(part)).toMatchObject({ isText: true });
      expect(text.startsWith(toContent(part).content)).toBe(true);
    });
    fc.assert(property, { numRuns: 1000 });
  });
});
