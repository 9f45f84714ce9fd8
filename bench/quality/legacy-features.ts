import { documentText } from "../../apps/parser/src/document/document-text.ts";
import type { Block, Document, TableCell } from "../../apps/parser/src/document/document.ts";
import { countTokens } from "./silent-loss-tokens.ts";

/** What two readings of a document are compared by, each as a bag of texts. */
export interface Features {
  readonly words: ReadonlyMap<string, number>;
  /** Headings, each with its level. */
  readonly headings: ReadonlyMap<string, number>;
  readonly cells: ReadonlyMap<string, number>;
  readonly items: ReadonlyMap<string, number>;
}

export const noFeatures: Features = { words: new Map(), headings: new Map(), cells: new Map(), items: new Map() };

export function featuresOf(document: Document): Features {
  const headings = new Map<string, number>();
  const cells = new Map<string, number>();
  const items = new Map<string, number>();
  const visit = (blocks: readonly Block[]): void => {
    for (const block of blocks) {
      if (block.type === "heading") count(headings, `${block.level} ${textOf([block])}`);
      if (block.type === "quote" || block.type === "footnote") visit(block.blocks);
      if (block.type === "list") {
        for (const item of block.items) {
          count(items, `${block.ordered ? "1." : "-"} ${textOf(item.blocks.filter(({ type }) => type !== "list"))}`);
          visit(item.blocks);
        }
      }
      if (block.type === "table") for (const cell of block.rows.flat()) visitCell(cell);
    }
  };
  const visitCell = (cell: TableCell): void => {
    if (typeof cell === "string") return count(cells, `1×1 ${fold(cell)}`);
    count(cells, `${cell.rowSpan ?? 1}×${cell.columnSpan ?? 1} ${textOf(cell.blocks)}`);
    visit(cell.blocks);
  };
  visit(document.blocks);
  return { words: countTokens(textOf(document.blocks)), headings, cells, items };
}

function textOf(blocks: readonly Block[]): string {
  return fold([...documentText(blocks)].join("\n"));
}

function fold(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function count(bag: Map<string, number>, text: string): void {
  bag.set(text, (bag.get(text) ?? 0) + 1);
}
