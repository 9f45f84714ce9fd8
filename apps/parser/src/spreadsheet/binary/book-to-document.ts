import { AppError } from "@attune/service-kit/app-error.ts";
import type { WorkBook, WorkSheet } from "@e965/xlsx";
import type { Document, Metadata } from "../../document/document.ts";
import type { Budget } from "../../limits/budget.ts";
import { SheetBuilder, type SheetLimits } from "../sheet-builder.ts";
import { type SheetEntry, workbookToDocument } from "../workbook-to-document.ts";
import { type FloatingBlocks, maxSheetRows } from "../sheet.ts";
import { BookCells } from "./book-cells.ts";
import { loadBook } from "./load-book.ts";
import { openWorkbook } from "./open-workbook.ts";
import { type DrawnTexts, readShapeTexts } from "./shape-texts.ts";

export interface BookContext {
  readonly budget: Budget;
  readonly options: {
    readonly password?: string;
    readonly pages: readonly { readonly first: number; readonly last: number }[];
  };
  readonly warn: (sentence: string) => void;
}

/**
 * Reads a workbook of the binary formats and shows it as workbooks of other formats are shown.
 * @throws AppError `PASSWORD_REQUIRED`, `PASSWORD_WRONG`, `ENCRYPTION_UNSUPPORTED`, `DOCUMENT_CORRUPT`, limits.
 */
export async function bookToDocument(file: Uint8Array, context: BookContext): Promise<Document> {
  const bytes = await openWorkbook(file, context.options.password);
  const book = await loadBook(bytes, context.options.password);
  const sheets = listSheets(book, { ...context, shapeTexts: await readShapeTexts(bytes) });
  if (sheets.length === 0) throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no sheets." });
  const { budget, options, warn } = context;
  return workbookToDocument({ metadata: metadataOf(book), sheets }, { budget, pages: options.pages, warn });
}

interface BookParts extends BookContext {
  readonly shapeTexts: ReadonlyMap<number, DrawnTexts>;
}

function listSheets(book: WorkBook, { budget, shapeTexts }: BookParts): SheetEntry[] {
  const limits: SheetLimits = { budget, characters: 0 };
  const is1904 = book.Workbook?.WBProps?.date1904 === true;
  return book.SheetNames.map((name, at) => ({
    name,
    isHidden: (book.Workbook?.Sheets?.[at]?.Hidden ?? 0) !== 0,
    build: () =>
      buildSheet(name, book.Sheets[name], {
        limits,
        cells: new BookCells(is1904),
        drawn: shapeTexts.get(at) ?? { shapes: [], charts: [] },
      }),
  }));
}

interface SheetBuild {
  readonly limits: SheetLimits;
  readonly cells: BookCells;
  readonly drawn: DrawnTexts;
}

function buildSheet(name: string, sheet: WorkSheet | undefined, { limits, cells, drawn }: SheetBuild): SheetBuilder {
  const builder = new SheetBuilder(name, limits);
  if (sheet === undefined) return builder;
  sheet["!cols"]?.forEach((column, at) => {
    if (column?.hidden === true) builder.hideColumns(at, at);
  });
  const rows = (sheet["!data"] ?? []) as readonly (readonly (object | undefined)[] | undefined)[];
  rows.forEach((row, index) => {
    if (row === undefined) return;
    builder.startRow(index, sheet["!rows"]?.[index]?.hidden === true);
    row.forEach((cell, column) => {
      if (cell !== undefined) cells.add(builder, { row: index, column, cell });
    });
  });
  for (const { s, e } of sheet["!merges"] ?? [])
    builder.addMerge({ firstRow: s.r, lastRow: e.r, firstColumn: s.c, lastColumn: e.c });
  for (const text of drawn.shapes) if (!cells.hasNote(text)) builder.addFloating(toFloating(text));
  for (const alt of drawn.charts)
    builder.addFloating({ row: maxSheetRows, column: 0, blocks: [{ type: "image", alt }] });
  return builder;
}

// Where a shape is anchored is told elsewhere; its text stands after the cells.
function toFloating(text: string): FloatingBlocks {
  const lines = text.split(/\n+/).filter((line) => line.trim() !== "");
  return { row: maxSheetRows, column: 0, blocks: lines.map((line) => ({ type: "paragraph", inlines: [line.trim()] })) };
}

function metadataOf({ Props: properties = {} }: WorkBook): Metadata {
  const { Title, Subject, Author, Keywords, CreatedDate, ModifiedDate } = properties;
  return {
    ...textProperty("title", Title),
    ...(isText(Author) && { authors: [Author.trim()] }),
    ...textProperty("subject", Subject),
    ...(isText(Keywords) && {
      keywords: Keywords.split(/[,;]/)
        .map((word) => word.trim())
        .filter(Boolean),
    }),
    ...dateProperty("createdAt", CreatedDate),
    ...dateProperty("modifiedAt", ModifiedDate),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function textProperty<TKey extends string>(key: TKey, value: unknown): { readonly [K in TKey]?: string } {
  return isText(value) ? ({ [key]: value.trim() } as { readonly [K in TKey]: string }) : {};
}

function dateProperty<TKey extends string>(key: TKey, value: unknown): { readonly [K in TKey]?: string } {
  const date = typeof value === "string" ? new Date(value) : value;
  const isDate = date instanceof Date && !Number.isNaN(date.getTime());
  return isDate ? ({ [key]: date.toISOString().replace(".000Z", "Z") } as { readonly [K in TKey]: string }) : {};
}
