import { AppError } from "@attune/service-kit/app-error.ts";
import type { Block, Document, Footnote, Metadata } from "../document/document.ts";
import type { Budget } from "../limits/budget.ts";
import { findRegions } from "./find-regions.ts";
import { regionToBlocks } from "./region-to-blocks.ts";
import { type FloatingBlocks, type Sheet } from "./sheet.ts";
import { trimMerges } from "./trim-merges.ts";
import type { SheetBuilder } from "./sheet-builder.ts";

/** A sheet of a workbook before its cells are read. */
export interface SheetEntry {
  readonly name: string;
  readonly isHidden: boolean;
  /** Reads the cells. Called once, and only for sheets that are wanted. */
  build(): SheetBuilder;
}

export interface Workbook {
  readonly metadata: Metadata;
  /** In the order of the tabs. */
  readonly sheets: readonly SheetEntry[];
}

interface PageRange {
  readonly first: number;
  readonly last: number;
}

export interface WorkbookContext {
  readonly budget: Budget;
  /** Sheets asked for, one-based; empty means all. */
  readonly pages: readonly PageRange[];
  readonly warn: (sentence: string) => void;
}

/**
 * Each visible sheet under a heading with its name. What is hidden is left out, and told.
 * @throws AppError `PAGES_INVALID` when none of the sheets asked for exists, limits, and whatever reading a sheet throws.
 */
export function workbookToDocument(workbook: Workbook, context: WorkbookContext): Document {
  const blocks: Block[] = [];
  const notes = new NoteNumbers();
  for (const { entry, number } of selectSheets(workbook.sheets, context)) {
    if (context.budget.isTimeSpent && blocks.length > 0) {
      context.warn(`Reading took too long: sheets from ${number} (“${entry.name}”) on were left out.`);
      break;
    }
    const builder = entry.build();
    const sheet = builder.finish();
    warnHidden(builder, context);
    const content = sheetToBlocks(sheet, notes, context);
    if (content.length === 0) continue;
    const source = { page: number };
    blocks.push(
      { type: "pageBreak", number, source },
      { type: "heading", level: 2, inlines: [sheet.name], source },
      ...content.map((block) => ({ ...block, source })),
    );
  }
  if (blocks.length === 0 && workbook.sheets.length > 0) context.warn("No sheet that was read has anything in it.");
  return { metadata: { ...workbook.metadata, pageCount: workbook.sheets.length }, blocks };
}

function selectSheets(
  sheets: readonly SheetEntry[],
  { pages, budget, warn }: WorkbookContext,
): { readonly entry: SheetEntry; readonly number: number }[] {
  const isWanted = (number: number): boolean =>
    pages.length === 0 || pages.some(({ first, last }) => first <= number && number <= last);
  const wanted = sheets.map((entry, at) => ({ entry, number: at + 1 })).filter(({ number }) => isWanted(number));
  if (wanted.length === 0 && pages.length > 0) {
    throw new AppError("PAGES_INVALID", { detail: `The workbook has ${sheets.length} sheets.` });
  }
  // A hidden sheet is read when it is asked for by its number.
  const hidden = pages.length > 0 ? [] : wanted.filter(({ entry }) => entry.isHidden);
  if (hidden.length > 0) {
    const names = hidden.slice(0, 20).map(({ entry, number }) => `“${entry.name}” (${number})`);
    warn(
      `Hidden sheets were left out: ${names.join(", ")}${hidden.length > 20 ? ", …" : ""}. Ask for them with \`pages\`.`,
    );
  }
  const visible = wanted.filter((sheet) => !hidden.includes(sheet));
  if (visible.length > budget.limits.maxPages)
    warn(`Only the first ${budget.limits.maxPages} of ${visible.length} sheets were read (PARSER_MAX_PAGES).`);
  return visible.slice(0, budget.limits.maxPages);
}

function warnHidden(builder: SheetBuilder, { warn }: WorkbookContext): void {
  if (builder.hiddenCellCount === 0) return;
  const parts = [
    builder.hiddenRowCount > 0 ? `hidden rows (${builder.hiddenRowCount})` : "",
    builder.hiddenColumnCount > 0 ? `hidden columns (${builder.hiddenColumnCount})` : "",
  ].filter(Boolean);
  warn(
    `Sheet “${builder.name}”: ${parts.join(" and ")} were left out, filled cells in them: ${builder.hiddenCellCount}.`,
  );
}

/** The tables, texts and floating parts of a sheet in reading order, its notes at the end. */
export function sheetToBlocks(sheet: Sheet, notes: NoteNumbers, { budget, warn }: WorkbookContext): Block[] {
  const { merges, leftOutCount } = trimMerges(sheet);
  if (leftOutCount > 0)
    warn(`Sheet “${sheet.name}”: ${leftOutCount} of ${sheet.merges.length} merged ranges were ignored.`);
  const trimmed = { ...sheet, merges, tables: trimTables(sheet) };
  const footnotes: Footnote[] = [];
  const used = new Set<number>();
  const context = {
    sheet: trimmed,
    merges,
    budget,
    noteReference: (key: number) => {
      const note = sheet.notes.get(key);
      if (note === undefined) return undefined;
      const id = notes.next();
      used.add(key);
      footnotes.push({ type: "footnote", id, blocks: note });
      return { type: "noteReference", id } as const;
    },
  };
  const regions = findRegions(trimmed).map((region): FloatingBlocks => {
    const blocks = regionToBlocks(region, context);
    return { row: region.firstRow, column: region.firstColumn, blocks };
  });
  for (const [key, note] of sheet.notes)
    if (!used.has(key)) footnotes.push({ type: "footnote", id: notes.next(), blocks: note });
  const placed = [...regions, ...sheet.floating].sort((a, b) => a.row - b.row || a.column - b.column);
  return [...placed.flatMap(({ blocks }) => blocks), ...footnotes];
}

// A table may be declared for whole columns; it ends where the sheet does.
function trimTables(sheet: Sheet): Sheet["tables"] {
  const lastRow = sheet.rows.at(-1)?.index ?? -1;
  return sheet.tables
    .map((table) => ({ ...table, range: { ...table.range, lastRow: Math.min(table.range.lastRow, lastRow) } }))
    .filter(({ range }) => range.lastRow >= range.firstRow);
}

/** Numbers the notes of one document. */
export class NoteNumbers {
  #last = 0;

  next(): string {
    return String(++this.#last);
  }
}
