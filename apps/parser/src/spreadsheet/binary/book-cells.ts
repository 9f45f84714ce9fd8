import type { CellObject } from "@e965/xlsx";
import { compileNumberFormat, type FormatNumber, formatGeneral } from "../number-format.ts";
import type { SheetBuilder } from "../sheet-builder.ts";

export interface PlacedCell {
  readonly row: number;
  readonly column: number;
  /** A cell as SheetJS has it. */
  readonly cell: object;
}

/** Turns cells of SheetJS into the text they show. */
export class BookCells {
  readonly #is1904: boolean;
  readonly #notes = new Set<string>();
  readonly #formats = new Map<string, FormatNumber>();

  constructor(is1904: boolean) {
    this.#is1904 = is1904;
  }

  add(builder: SheetBuilder, { row, column, cell: raw }: PlacedCell): void {
    const cell = raw as CellObject;
    builder.addCell(column, this.#textOf(cell));
    const target = cell.l?.Target;
    if (target !== undefined && /^(?:https?|ftp|mailto):/i.test(target)) builder.addLink(row, column, target);
    const note = (cell.c ?? []).map(({ t }) => (t ?? "").trim()).filter(Boolean);
    for (const text of note) this.#notes.add(letters(text));
    if (note.length > 0)
      builder.addNote(
        row,
        column,
        note.map((text) => ({ type: "paragraph", inlines: [text.replaceAll(/(?<!\s)\s*\n\s*/g, " ")] })),
      );
  }

  /** Whether a cell added so far has a note of this text. */
  hasNote(text: string): boolean {
    return this.#notes.has(letters(text));
  }

  #textOf(cell: CellObject): string {
    switch (cell.t) {
      case "n":
        return typeof cell.v === "number" ? this.#format(cell.z)(cell.v) : "";
      case "b":
        return cell.v === true ? "TRUE" : "FALSE";
      case "e":
        return cell.w ?? "#VALUE!";
      case "s":
        return typeof cell.v === "string" ? cell.v.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : "";
      case "d":
        return dateText(cell);
      case "z":
      default:
        return "";
    }
  }

  #format(code: string | number | undefined): FormatNumber {
    if (typeof code !== "string") return formatGeneral;
    let format = this.#formats.get(code);
    if (format === undefined) {
      format = compileNumberFormat(code, { is1904: this.#is1904 });
      this.#formats.set(code, format);
    }
    return format;
  }
}

function dateText(cell: CellObject): string {
  return cell.v instanceof Date ? cell.v.toISOString().replace(/T00:00:00\.000Z$/, "") : (cell.w ?? "");
}

function letters(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
