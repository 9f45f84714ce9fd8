import fc from "fast-check";
import { expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import { arbitraryDocument } from "../arbitrary-document.ts";
import type { Block, Document, Inline, Table, TableCell } from "../document.ts";
import { normaliseDocument } from "../normalise-document.ts";
import { rewriteBlocks } from "../rewrite-blocks.ts";
import { renderDocument } from "./render-document.ts";
import type { RenderOptions } from "./render-options.ts";
import { flattenSpans } from "./table-grid.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 300) };

const options: RenderOptions = {
  outputFormat: "markdown",
  tables: "markdown",
  images: "placeholder",
  pageMarkers: true,
  frontMatter: false,
  footnotes: "keep",
  formulas: "latex",
  links: "keep",
};

test("Markdown reads back as the blocks it was written from", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryDocument("paragraphs"), async (document) => {
      const normal = carried(document);
      const markdown = renderDocument(normal, options);
      const again = carried(await readMarkdown(markdown));

      expect({ markdown, blocks: again.blocks }).toEqual({ markdown, blocks: normal.blocks });
    }),
    runs,
  );
});

test("Markdown written again from what it reads as stays the same", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryDocument("paragraphs"), async (document) => {
      const markdown = renderDocument(carried(document), options);

      expect(renderDocument(normaliseDocument(await readMarkdown(markdown)), options)).toBe(markdown);
    }),
    runs,
  );
});

async function readMarkdown(markdown: string): Promise<Document> {
  const input = { bytes: Buffer.from(markdown), fileName: "", format: "md" };
  const read = { pages: [], headersFooters: "drop", images: "placeholder" } as const;
  const { document, warnings } = await readSource(input, read, new Budget(defaultLimits));
  expect(warnings).toEqual([]);
  return document;
}

/**
 * The normal form of the document without what Markdown has no way to say. This list is the whole of what is lost:
 * where blocks come from, bytes of pictures, heading levels over 6, formulas that are not LaTeX as anything but text,
 * captions as anything but paragraphs, spans and row headers of cells, other header rows than the first, paragraphs of
 * cells as anything but lines, `\|` in formulas of cells, and check boxes of items that do not begin with a paragraph.
 */
function carried(document: Document): Document {
  const normal = normaliseDocument(document);
  const blocks = rewriteBlocks(normal.blocks, { block: carriedBlock, inline: carriedInline });
  const { blocks: settled } = normaliseDocument({ metadata: {}, blocks });
  const keep = (inline: Inline): Inline => inline;
  return { metadata: {}, blocks: rewriteBlocks(settled, { block: carriedList, inline: keep }) };
}

function carriedBlock(block: Block): Block | readonly Block[] {
  const { source: _, ...sourceless } = block;
  const plain = sourceless as Block;
  switch (plain.type) {
    case "heading":
      return { ...plain, level: Math.min(plain.level, 6) };
    case "formula":
      return plain.notation === "latex" ? plain : { type: "paragraph", inlines: [plain.text] };
    case "image": {
      const { caption, data: __, ...picture } = plain;
      return caption === undefined ? picture : [picture, { type: "paragraph", inlines: caption }];
    }
    case "table":
      return carriedTable(plain);
    default:
      return plain;
  }
}

function carriedList(block: Block): Block {
  if (block.type !== "list") return block;
  const { ordered, start = 1, items } = block;
  const boxed = items.map(({ blocks, isChecked }) => ({
    blocks,
    ...(isChecked !== undefined && blocks[0]?.type === "paragraph" && { isChecked }),
  }));
  return { type: "list", ordered, ...(ordered && start !== 1 && { start }), items: boxed };
}

function carriedTable(table: Table): readonly Block[] {
  const flat = flattenSpans(table);
  const width = Math.max(...flat.map((row) => row.length));
  const rows = flat.map((row) => Array.from({ length: width }, (_, index) => carriedCell(row[index] ?? "")));
  const { caption } = table;
  const body: Table = { type: "table", headerRowCount: 1, rows };
  return caption === undefined ? [body] : [{ type: "paragraph", inlines: caption }, body];
}

function carriedCell(cell: TableCell): TableCell {
  if (typeof cell === "string") return cell;
  const lines = cell.blocks.map((block): readonly Inline[] => {
    if (block.type === "paragraph") return block.inlines;
    return block.type === "image" ? [block] : [];
  });
  const inlines = lines.flatMap((line, index) => (index === 0 ? line : [{ type: "lineBreak" } as const, ...line]));
  const blocks: readonly Block[] = [{ type: "paragraph", inlines }];
  return { blocks: rewriteBlocks(blocks, { block: (block) => block, inline: carriedCellInline }) };
}

function carriedInline(inline: Inline): Inline | readonly Inline[] {
  if (typeof inline === "string") return inline;
  if (inline.type === "formula") return inline.notation === "latex" ? inline : inline.text;
  if (inline.type !== "image") return inline;
  const { data: _, ...picture } = inline;
  return picture;
}

function carriedCellInline(inline: Inline): Inline {
  if (typeof inline === "string" || inline.type !== "formula") return inline;
  return { ...inline, text: inline.text.replaceAll(/\\[\\|]/g, (pair) => (pair === "\\|" ? "\\Vert " : pair)) };
}
