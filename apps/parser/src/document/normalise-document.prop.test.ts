import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryDocument } from "./arbitrary-document.ts";
import { documentText } from "./document-text.ts";
import type { Inline } from "./document.ts";
import { normaliseDocument } from "./normalise-document.ts";
import { rewriteBlocks } from "./rewrite-blocks.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 300) };

test("a normal document is returned as it is", () => {
  fc.assert(
    fc.property(arbitraryDocument("blocks"), (document) => {
      const normal = normaliseDocument(document);

      expect(normaliseDocument(normal)).toEqual(normal);
    }),
    runs,
  );
});

test("no letter or digit is lost", () => {
  fc.assert(
    fc.property(arbitraryDocument("blocks"), (document) => {
      const blocks = rewriteBlocks(document.blocks, { block: (block) => block, inline: withoutReference });

      expect(lettersOf(normaliseDocument({ metadata: {}, blocks }).blocks)).toBe(lettersOf(blocks));
    }),
    runs,
  );
});

// A reference to a note that does not exist becomes text, which the document did not have.
function withoutReference(inline: Inline): Inline | readonly Inline[] {
  return typeof inline !== "string" && inline.type === "noteReference" ? [] : inline;
}

// In any order, since notes within notes move behind them.
function lettersOf(blocks: Parameters<typeof documentText>[0]): string {
  const text = [...documentText(blocks)].join(" ").normalize("NFKC");
  return (text.match(/[a-z0-9\u4e00-\u9fff]/giu) ?? []).sort().join("");
}
