import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryDocument } from "../arbitrary-document.ts";
import type { Document } from "../document.ts";
import { normaliseDocument } from "../normalise-document.ts";
import { renderDocument, renderPieces } from "./render-document.ts";
import type { RenderOptions } from "./render-options.ts";

const options: RenderOptions = {
  outputFormat: "markdown",
  tables: "auto",
  images: "placeholder",
  pageMarkers: true,
  frontMatter: true,
  footnotes: "keep",
  formulas: "latex",
  links: "keep",
};

test("the JSON of a document made in pieces is that of the whole", () => {
  fc.assert(
    fc.property(arbitraryDocument("blocks"), (document) => {
      const json = renderDocument(document, { ...options, outputFormat: "json" });

      expect(`${JSON.stringify(JSON.parse(json), undefined, 1)}\n`).toBe(json);
    }),
  );
});

test("no piece is empty, and only the last ends the text", () => {
  fc.assert(
    fc.property(arbitraryDocument("blocks"), (document) => {
      const pieces = [...renderPieces(normaliseDocument(document), options)];

      expect(pieces.includes("")).toBe(false);
      expect(pieces.join("").trimEnd()).toBe(pieces.slice(0, -1).join(""));
    }),
  );
});

test("a document longer than a lot is written as one: lists that follow one another keep their own markers", () => {
  const list = {
    type: "list",
    ordered: false,
    items: [{ blocks: [{ type: "paragraph", inlines: ["word"] }] }],
  } as const;
  const document: Document = { metadata: {}, blocks: Array.from({ length: 600 }, () => list) };

  const lines = renderDocument(document, options).trimEnd().split("\n\n");

  expect(lines).toEqual(Array.from({ length: 600 }, (_, index) => (index % 2 === 0 ? "- word" : "* word")));
});
