import fc from "fast-check";
import { expect, test } from "vitest";
import { normaliseDocument } from "../normalise-document.ts";
import { documentText } from "../document-text.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 500) };

/** Words of many scripts with what files bring along: invisible signs, presentation forms, marks apart from their letters. */
const dirty = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 6 }),
      fc.constantFrom(
        ..."ﬁ ﬂ ﬃ ﬀ ﬅ ﻻ ﻹ ﷲ ⼈ \u00ad \u200b \u200d \u2060 \ufeff \u202e \u0000 \u001f \u0085 e\u0301 क्\u200dष 👩\u200d💻".split(
          " ",
        ),
      ),
      fc.constantFrom("word", "文字", "كلمة", " ", "\n", "\t", "\u00a0", "\u3000"),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""));

const invisible = /[\p{Cs}\u00ad\u200b\u2060\ufeff\u200e\u200f\u202a-\u202e]|(?![\n])\p{Cc}/u;
const ligature = /[\ufb00-\ufb06\ufefb\ufdf2]/;

function textsOf(text: string): string[] {
  const blocks = [
    { type: "paragraph" as const, inlines: [text, { type: "strong" as const, inlines: [text] }] },
    { type: "heading" as const, level: 1, inlines: [text] },
    {
      type: "table" as const,
      headerRowCount: 0,
      rows: [[text, { blocks: [{ type: "paragraph" as const, inlines: [text] }] }]],
    },
  ];
  return [...documentText(normaliseDocument({ metadata: {}, blocks }).blocks)];
}

test("whatever a file brings along, text is composed, visible and evenly spaced", () => {
  fc.assert(
    fc.property(dirty, (text) => {
      for (const clean of textsOf(text)) {
        expect(clean).toBe(clean.normalize("NFC"));
        expect(clean).not.toMatch(invisible);
        expect(clean).not.toMatch(ligature);
        expect(clean).not.toMatch(/^\s|\s$| {2}|\u00a0/);
      }
    }),
    runs,
  );
});

test.each([
  ["the ﬁrst oﬃce", "the first office"],
  ["soft\u00adly", "softly"],
  ["cafe\u0301", "café"],
  ["ﻻ\u200f", "لا"],
  ["a\u0000b\u200bc", "abc"],
  ["क्\u200dष", "क्\u200dष"],
  ["👩\u200d💻", "👩\u200d💻"],
])("%j is written %j", (text, expected) => {
  expect(textsOf(text)[0]).toBe(expected + expected);
});
