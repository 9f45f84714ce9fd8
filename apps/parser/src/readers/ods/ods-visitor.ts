import type { Block } from "../../document/document.ts";
import { maxSheetColumns, maxSheetRows } from "../../spreadsheet/sheet.ts";
import { SheetBuilder, type SheetLimits } from "../../spreadsheet/sheet-builder.ts";
import type { XmlAttributes, XmlVisitor } from "../../xml/walk-xml.ts";
import { OdsCell } from "./ods-cell.ts";

export interface OdsSheet {
  readonly builder: SheetBuilder;
  readonly styleName: string;
}

/** Builds the sheets of a spreadsheet body as its elements go by. */
export class OdsVisitor implements XmlVisitor {
  readonly sheets: OdsSheet[] = [];
  hasSpreadsheet = false;
  readonly #limits: SheetLimits;
  readonly #hasImages: boolean;
  #builder: SheetBuilder | undefined;
  /** Tables inside cells, charts and the like; only the outermost one is a sheet. */
  #tableDepth = 0;
  /** Depth of the element whose whole content is left out; 0 when there is none. */
  #skipDepth = 0;
  #row = 0;
  #rowRepeats = 1;
  #isRowHidden = false;
  #rowCells: { column: number; repeats: number; cell: OdsCell }[] = [];
  #column = 0;
  #headColumn = 0;
  #cell: OdsCell | undefined;

  constructor(limits: SheetLimits, hasImages: boolean) {
    this.#limits = limits;
    this.#hasImages = hasImages;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#skipDepth > 0 || skipped.has(name)) {
      this.#skipDepth++;
      return;
    }
    if (name === "office:spreadsheet") this.hasSpreadsheet = true;
    else if (name === "table:table") this.#startTable(attributes);
    else if (this.#builder === undefined) return;
    else if (this.#cell !== undefined) this.#cell.open(name, attributes);
    else this.#openInTable(name, attributes);
  }

  #startTable(attributes: XmlAttributes): void {
    if (this.#tableDepth++ > 0 || !this.hasSpreadsheet) return;
    const builder = new SheetBuilder(attributes.get("table:name") ?? `Sheet${this.sheets.length + 1}`, this.#limits);
    this.sheets.push({ builder, styleName: attributes.get("table:style-name") ?? "" });
    this.#builder = builder;
    this.#row = 0;
    this.#headColumn = 0;
  }

  #openInTable(name: string, attributes: XmlAttributes): void {
    switch (name) {
      case "table:table-column":
        return this.#addColumns(attributes);
      case "table:table-row":
        this.#rowRepeats = repeatsOf(attributes, "table:number-rows-repeated", maxSheetRows);
        this.#isRowHidden = isHidden(attributes);
        this.#rowCells = [];
        this.#column = 0;
        return;
      case "table:table-cell":
      case "table:covered-table-cell":
        this.#cell = new OdsCell(attributes, name === "table:covered-table-cell");
        return;
      case "table:shapes":
        this.#cell = new OdsCell(attributes, true);
        return;
      default:
    }
  }

  #addColumns(attributes: XmlAttributes): void {
    const count = repeatsOf(attributes, "table:number-columns-repeated", maxSheetColumns);
    if (isHidden(attributes)) this.#builder?.hideColumns(this.#headColumn, this.#headColumn + count - 1);
    this.#headColumn = Math.min(maxSheetColumns, this.#headColumn + count);
  }

  text(text: string): void {
    if (this.#skipDepth === 0) this.#cell?.text(text);
  }

  close(name: string): void {
    if (this.#skipDepth > 0) this.#skipDepth--;
    else if (name === "table:table") this.#endTable();
    else if (this.#cell !== undefined && this.#tableDepth === 1) this.#closeInCell(name, this.#cell);
    else if (this.#cell !== undefined) this.#cell.close(name);
    else if (name === "table:table-row" && this.#tableDepth === 1) this.#endRow();
  }

  #closeInCell(name: string, cell: OdsCell): void {
    if (name === "table:shapes") this.#addFloating(cell, 0);
    else if (name === "table:table-cell" || name === "table:covered-table-cell") {
      this.#rowCells.push({ column: this.#column, repeats: Math.min(cell.repeats, maxSheetColumns), cell });
      this.#column = Math.min(maxSheetColumns, this.#column + cell.repeats);
    } else {
      cell.close(name);
      return;
    }
    this.#cell = undefined;
  }

  #endTable(): void {
    this.#tableDepth--;
    if (this.#tableDepth > 0) return;
    this.#builder?.endRow();
    this.#builder = undefined;
    this.#cell = undefined;
  }

  #endRow(): void {
    const filled = this.#rowCells.filter(({ cell }) => cell.isFilled);
    // Empty rows repeat up to the end of the sheet; only their number counts.
    const repeats =
      filled.length === 0 && !this.#isRowHidden
        ? 0
        : filled.length === 0
          ? Math.min(this.#rowRepeats, 1000)
          : this.#rowRepeats;
    for (let count = 0; count < repeats; count++) this.#addRow(this.#row + count, filled);
    this.#row = Math.min(maxSheetRows, this.#row + this.#rowRepeats);
  }

  #addRow(index: number, filled: readonly { column: number; repeats: number; cell: OdsCell }[]): void {
    const builder = this.#builder;
    if (builder === undefined) return;
    builder.startRow(index, this.#isRowHidden);
    for (const { column, repeats, cell } of filled) {
      const value = cell.isCovered ? "" : cell.value;
      for (let count = 0; count < repeats; count++) builder.addCell(column + count, value);
      this.#addExtras(cell, index, column);
    }
  }

  #addExtras(cell: OdsCell, row: number, column: number): void {
    const builder = this.#builder;
    if (builder === undefined) return;
    const { rowSpan, columnSpan, link, note } = cell;
    builder.addMerge({
      firstRow: row,
      lastRow: Math.min(row + rowSpan, maxSheetRows) - 1,
      firstColumn: column,
      lastColumn: Math.min(column + columnSpan, maxSheetColumns) - 1,
    });
    if (link !== undefined) builder.addLink(row, column, link);
    if (note !== "") builder.addNote(row, column, [{ type: "paragraph", inlines: [note] }]);
    this.#addFloating(cell, column);
  }

  #addFloating(cell: OdsCell, column: number): void {
    const blocks: Block[] = [
      ...cell.shapeTexts.map((text): Block => ({ type: "paragraph", inlines: [text] })),
      ...(this.#hasImages ? cell.images : []),
    ];
    this.#builder?.addFloating({ row: this.#row, column, blocks });
  }
}

const skipped = new Set([
  "office:styles",
  "office:automatic-styles",
  "office:master-styles",
  "office:scripts",
  "office:forms",
  "table:tracked-changes",
  "table:content-validations",
  "table:named-expressions",
  "table:database-ranges",
  "table:data-pilot-tables",
  "table:calculation-settings",
  "office:binary-data",
  "office:event-listeners",
  "draw:object",
]);

function repeatsOf(attributes: XmlAttributes, name: string, max: number): number {
  const count = Number(attributes.get(name) ?? 1);
  return count >= 1 ? Math.min(max, Math.floor(count)) : 1;
}

function isHidden(attributes: XmlAttributes): boolean {
  const visibility = attributes.get("table:visibility");
  return visibility === "collapse" || visibility === "filter";
}
