import fc from "fast-check";
import { expect, test } from "vitest";
import { createLineCutter, type CutLine } from "./line-cutter.ts";

test("however the bytes come in pieces, the lines are those of the whole, and their offsets fit", () => {
  const piece = fc
    .uint8Array({ maxLength: 12 })
    .map((bytes) => Buffer.from(bytes.map((byte) => (byte < 90 ? 10 : byte))));
  fc.assert(
    fc.property(fc.array(piece), fc.integer({ min: 1, max: 8 }), (pieces, maxLineBytes) => {
      const whole = Buffer.concat(pieces);
      const cutter = createLineCutter(maxLineBytes);
      const lines: CutLine[] = [];
      let position = 0;
      for (const bytes of pieces) {
        lines.push(...cutter.cut(bytes, position));
        position += bytes.length;
      }
      const rest = cutter.rest(position);
      if (rest !== undefined) lines.push(rest);
      const starts = [0, ...lines.map(({ endOffset }) => endOffset)];
      for (const [index, line] of lines.entries()) {
        const start = starts[index] ?? 0;
        const isRest = line === rest;
        const bytes = whole.subarray(start, isRest ? line.endOffset : line.endOffset - 1);
        expect(bytes.includes(10)).toBe(false);
        expect(line.text).toBe(bytes.subarray(0, maxLineBytes).toString("utf8"));
        expect(line.isCut).toBe(bytes.length > maxLineBytes);
      }
      expect(starts.at(-1)).toBe(whole.length);
    }),
  );
});
