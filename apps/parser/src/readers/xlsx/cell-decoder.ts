import { formatGeneral } from "../../spreadsheet/number-format.ts";
import type { CellValue } from "../../spreadsheet/sheet.ts";
import { decodeEntities } from "../../xml/entities.ts";
import { decodeString } from "./string-item.ts";
import type { CellStyles } from "./styles.ts";

/** Turns what a cell holds into the text it shows (ECMA-376 part 1, 18.3.1.4 and 18.18.11). */
export class CellDecoder {
  readonly #strings: readonly CellValue[];
  readonly #styles: CellStyles;
  /** Cells that name a shared string which does not exist. */
  brokenStringCount = 0;
  /** Cells whose number format shows nothing. */
  hiddenValueCount = 0;

  constructor(strings: readonly CellValue[], styles: CellStyles) {
    this.#strings = strings;
    this.#styles = styles;
  }

  /** @param raw Content of `v`, entities not resolved. */
  decode(type: string, style: number, raw: string): CellValue {
    switch (type) {
      case "s":
        return this.sharedString(Number(raw));
      case "b":
        return raw === "1" || raw === "true" ? "TRUE" : raw === "" ? "" : "FALSE";
      case "str":
      case "inlineStr":
        return decodeString(raw);
      case "e":
        return decodeEntities(raw);
      case "d":
        return raw.replace(/T00:00:00(?:\.0+)?Z?$/, "");
      default:
        return this.#number(style, raw);
    }
  }

  sharedString(index: number): CellValue {
    const value = this.#strings[index];
    if (value !== undefined) return value;
    this.brokenStringCount++;
    return "";
  }

  #number(style: number, raw: string): CellValue {
    const format = this.#styles[style];
    if (format === undefined && isPlainInteger(raw)) return raw;
    if (raw === "") return "";
    const value = Number(raw);
    if (Number.isNaN(value)) return decodeEntities(raw);
    const text = format === undefined ? formatGeneral(value) : format(value);
    if (text === "") this.hiddenValueCount++;
    return text;
  }
}

function isPlainInteger(raw: string): boolean {
  if (raw.length === 0 || raw.length > 15) return false;
  for (let at = 0; at < raw.length; at++) {
    const code = raw.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return raw.charCodeAt(0) !== 0x30 || raw.length === 1;
}
