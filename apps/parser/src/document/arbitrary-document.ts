/** For tests: documents of every shape the model allows, with text that looks like markup of every kind. */
import fc from "fast-check";
import type { Block, Document, ImageContent, Inline, ListItem, RichCell, TableCell } from "./document.ts";

// Pieces that mean something to Markdown, HTML, YAML or LaTeX, or that are hard to place for Unicode's sake.
const nastyPieces: readonly string[] = [
  "\\`*_{}[]()#+-.!|<>&~$^:=/\"'@%,;? ".split(""),
  "abcXYZ0159".split(""),
  ["  ", "\t", "\n", "\u00a0", "\u3000", "\u200b", "\u00ad", "\u0000", "\ufeff", "\ud800", "\u2028"],
  ["**", "__", "~~", "``", "```", "~~~", "$$", "---", "***", "===", "- ", "+ ", "* ", "> ", "# ", "1. ", "2) ", "+++"],
  ["![", "](", "[^", "[x] ", "[ ] ", "]: ", "\\(", "\\|", "|-|", ":--", "<br>", "<b>", "</sup>", "<!--", "-->"],
  [
    "<script>",
    "<int>",
    "&amp;",
    "&#35;",
    "&copy",
    "http://a.b/_c_",
    "www.a.b",
    "a@b.c",
    "<http://a.b>",
    "C:\\dir",
    "a_b",
  ],
  [
    "中",
    "文",
    "，",
    "“",
    "”",
    "（",
    "é",
    "e\u0301",
    "ß",
    "ﬁ",
    "😀",
    "👩\u200d💻",
    "€",
    "ש",
    "ל",
    "ع",
    "ق",
    "क्\u200dष",
    "—",
    "…",
  ],
  ["$5", "5$", "\\$", "x^2", "\\alpha", "{", "}", "2 * 3", "snake_case", "C#", "#tag"],
].flat();

const nastyText = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(fc.constantFrom(...nastyPieces), { minLength: 1, maxLength: 8 }).map((all) => all.join("")),
  },
  { weight: 1, arbitrary: fc.constantFrom("word", "two words", "a sentence, it is.", "数据", "1.5", "snake_case") },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
);

const addressPieces: readonly string[] = "ab/()[]<>*_~$|\\&#%? \"'`:".split("");

const address = fc.oneof(
  fc.constantFrom(
    "https://example.com/a_b_c",
    "http://a.b/(x)",
    "https://a.b/x?y=1&amp=2",
    "#part",
    "../a b.html",
    "mailto:a@b.c",
  ),
  fc
    .array(fc.constantFrom("&amp;", "é", "中", ...addressPieces), { maxLength: 6 })
    .map((all) => `https://a.b/${all.join("")}`),
);

const noteId = fc.constantFrom("1", "2", "a b", "fn:3", "A", "a", "注", "*");
const formulaText = fc
  .array(
    fc.constantFrom(
      "x",
      "\\alpha",
      "^2",
      "_{i}",
      "\\|",
      "|",
      "\\$",
      "$",
      "*",
      "`",
      " ",
      "\\\\",
      "<",
      "&",
      "#",
      "5",
      "\\",
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((all) => all.join(""));
const notation = fc.constantFrom("latex" as const, "latex" as const, "text" as const);

const image: fc.Arbitrary<ImageContent> = fc.record(
  { alt: nastyText, reference: address, data: fc.constant({ mediaType: "image/png", bytes: new Uint8Array([1, 2]) }) },
  { requiredKeys: ["alt"] },
);

const { inlines } = fc.letrec<{ inlines: Inline[]; inline: Inline }>((tie) => ({
  inlines: fc.array(tie("inline"), { maxLength: 4 }),
  inline: fc.oneof(
    { maxDepth: 3, depthIdentifier: "inline" },
    nastyText,
    nastyText,
    nastyText.map((text) => ({ type: "code" as const, text })),
    fc.record({ type: fc.constant("formula" as const), notation, text: formulaText }),
    image.map((content) => ({ type: "image" as const, ...content })),
    noteId.map((id) => ({ type: "noteReference" as const, id })),
    fc.constant({ type: "lineBreak" as const }),
    fc.record({
      type: fc.constantFrom("strong" as const, "emphasis" as const, "superscript" as const, "subscript" as const),
      inlines: tie("inlines"),
    }),
    fc.record({ type: fc.constant("link" as const), target: address, inlines: tie("inlines") }),
    address.map((target) => ({ type: "link" as const, target, inlines: [target] })),
  ),
}));

const paragraph = inlines.map((all): Block => ({ type: "paragraph", inlines: all }));
const source = fc.constant({ page: 1 });

/** What cells may hold: any blocks, or paragraphs alone, which a GFM table can carry. */
export type CellContent = "blocks" | "paragraphs";

export function arbitraryDocument(cells: CellContent): fc.Arbitrary<Document> {
  return arbitraryBlocks(cells).map((blocks) => ({ metadata: {}, blocks }));
}

function arbitraryBlocks(cells: CellContent): fc.Arbitrary<Block[]> {
  return fc.letrec<{ blocks: Block[]; block: Block; item: ListItem; cell: TableCell }>((tie) => ({
    blocks: fc.array(tie("block"), { maxLength: 4 }),
    block: fc.oneof(
      { maxDepth: 3, depthIdentifier: "block" },
      paragraph,
      paragraph,
      fc.record({ type: fc.constant("heading" as const), level: fc.integer({ min: 0, max: 8 }), inlines }),
      arbitraryCode,
      fc.record({ type: fc.constant("formula" as const), notation, text: formulaLines }),
      fc
        .record({ type: fc.constant("image" as const), image, caption: inlines })
        .map(({ image: content, caption }) => ({
          type: "image" as const,
          ...content,
          caption,
        })),
      fc.integer({ min: 1, max: 99 }).map((number) => ({ type: "pageBreak" as const, number })),
      arbitraryList(tie("item")),
      fc.record(
        { type: fc.constant("quote" as const), blocks: tie("blocks"), source },
        { requiredKeys: ["type", "blocks"] },
      ),
      fc.record({ type: fc.constant("footnote" as const), id: noteId, blocks: tie("blocks") }),
      arbitraryTable(tie("cell")),
    ),
    item: fc.record({ blocks: tie("blocks"), isChecked: fc.boolean() }, { requiredKeys: ["blocks"] }),
    cell: fc.oneof(
      nastyText,
      arbitraryCell(cells === "blocks" ? tie("blocks") : fc.array(paragraph, { maxLength: 2 })),
    ),
  })).blocks;
}

const formulaLines = fc.array(formulaText, { minLength: 1, maxLength: 3 }).map((lines) => lines.join("\n"));

const arbitraryCode = fc.record(
  {
    type: fc.constant("code" as const),
    text: fc.array(nastyText, { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n")),
    language: fc.constantFrom("python", "c++", "c#", "Objective-C"),
  },
  { requiredKeys: ["type", "text"] },
);

function arbitraryList(item: fc.Arbitrary<ListItem>): fc.Arbitrary<Block> {
  return fc.record(
    {
      type: fc.constant("list" as const),
      ordered: fc.boolean(),
      start: fc.constantFrom(0, 1, 2, 9, 99),
      items: fc.array(item, { maxLength: 3 }),
    },
    { requiredKeys: ["type", "ordered", "items"] },
  );
}

function arbitraryCell(blocks: fc.Arbitrary<Block[]>): fc.Arbitrary<RichCell> {
  return fc.record(
    { blocks, rowSpan: fc.constantFrom(1, 2, 70_000), columnSpan: fc.constantFrom(1, 2), isRowHeader: fc.boolean() },
    { requiredKeys: ["blocks"] },
  );
}

function arbitraryTable(cell: fc.Arbitrary<TableCell>): fc.Arbitrary<Block> {
  return fc.record(
    {
      type: fc.constant("table" as const),
      headerRowCount: fc.integer({ min: 0, max: 2 }),
      rows: fc.array(fc.array(cell, { maxLength: 3 }), { maxLength: 3 }),
      caption: inlines,
    },
    { requiredKeys: ["type", "headerRowCount", "rows"] },
  );
}
