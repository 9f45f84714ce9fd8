import { readFileSync } from "node:fs";
import { extname } from "node:path";
import type { Block, Document, Table } from "../../apps/parser/src/document/document.ts";
import { Budget } from "../../apps/parser/src/limits/budget.ts";
import { defaultLimits } from "../../apps/parser/src/limits/default-limits.ts";
import { readPdf } from "../../apps/parser/src/readers/pdf/read-pdf.ts";
import type { readSource as ReadSource } from "../../apps/parser/src/reading/read-source.ts";
import { parseXmlTree, type XmlElement } from "../../apps/parser/src/xml/xml-tree.ts";
import { type Grid, gridOf, type RawCell, toGrid } from "./pdf-tables-score.ts";

/** The tables that a file holds by its own account: JATS XML, or any format that our readers read. */
export async function tablesOfFile(path: string): Promise<Grid[]> {
  const grids =
    extname(path) === ".xml" ? tablesOfJats(readFileSync(path, "utf8")) : (await tablesOf(path)).map(gridOf);
  return grids.filter(({ rowCount, columnCount }) => rowCount > 1 && columnCount > 1);
}

export async function tablesOf(path: string): Promise<Table[]> {
  const bytes = readFileSync(path);
  const options = { pages: [], headersFooters: "drop", images: "placeholder" } as const;
  const budget = new Budget(defaultLimits);
  const format = extname(path).slice(1);
  const { blocks } =
    format === "pdf"
      ? await readPdf(
          { bytes, fileName: path, format },
          { options, budget, depth: 0, warn: () => {}, readPart: noPart },
        )
      : await readOffice({ bytes, fileName: path, format }, options, budget);
  const tables: Table[] = [];
  collect(blocks, tables);
  return tables;
}

function noPart(): never {
  throw new Error("nothing inside a PDF file is read here");
}

async function readOffice(...input: Parameters<typeof ReadSource>): Promise<Document> {
  const { readSource } = await import("../../apps/parser/src/reading/read-source.ts");
  return (await readSource(...input)).document;
}

function collect(blocks: readonly Block[], tables: Table[]): void {
  for (const block of blocks) {
    if (block.type === "table") tables.push(block);
    else if (block.type === "list") for (const item of block.items) collect(item.blocks, tables);
    else if (block.type === "quote") collect(block.blocks, tables);
  }
}

function tablesOfJats(xml: string): Grid[] {
  const text = xml
    .replace(/<!DOCTYPE[^>[]*(?:\[[^\]]*\])?>/, "")
    .replace(/&(?!(?:amp|lt|gt|quot|apos|#))[A-Za-z]+;/g, " ");
  const grids: Grid[] = [];
  visit(parseXmlTree(text, 400), (element) => {
    if (element.name !== "table-wrap") return false;
    const rows: RawCell[][] = [];
    visit(element, (inner) => {
      if (inner.name === "tr") rows.push(cellsOf(inner));
      return inner.name === "tr" || inner.name === "table-wrap-foot";
    });
    grids.push(toGrid(rows));
    return true;
  });
  return grids;
}

// The callback says whether it has dealt with all that is inside.
function visit(element: XmlElement, look: (element: XmlElement) => boolean): void {
  for (const child of element.children) {
    if (typeof child !== "string" && !look(child)) visit(child, look);
  }
}

function cellsOf(row: XmlElement): RawCell[] {
  return row.children.flatMap((cell) => {
    if (typeof cell === "string" || (cell.name !== "td" && cell.name !== "th")) return [];
    const span = (name: string): number => Number(cell.attributes.get(name) ?? 1) || 1;
    return [{ text: textOf(cell), rowSpan: span("rowspan"), columnSpan: span("colspan") }];
  });
}

function textOf(element: XmlElement): string {
  return element.children.map((child) => (typeof child === "string" ? child : textOf(child))).join(" ");
}
