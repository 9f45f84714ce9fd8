/** Receives the cells of a sheet in the order of the file. */
export interface CellSink {
  /** Rows and columns are zero-based. */
  startRow(index: number, isHidden: boolean): void;
  /** @param raw Content of `v`, entities not resolved; undefined when there is none. */
  cell(cell: ScannedCell): void;
  /** A cell that holds nothing but the number of a shared string. */
  sharedString(column: number, index: number): void;
}

/** Valid only while the sink is called with it. */
export interface ScannedCell {
  readonly column: number;
  /** Attribute `t`; empty when absent. */
  readonly type: string;
  readonly style: number;
  readonly raw: string | undefined;
  /** Inside of the element `is`. */
  readonly inline: string | undefined;
  readonly hasFormula: boolean;
}

/**
 * Scans the inside of `sheetData` at the speed of `indexOf`, as long as it is written the way all common programs write it:
 * no prefixes, comments or sections, attributes in double quotes.
 *
 * @returns false as soon as anything else stands there; the sink is then to be thrown away and the sheet walked as XML.
 */
export function scanCells(xml: string, from: number, sink: CellSink): boolean {
  const scanner = new CellScanner(xml, sink);
  let at = from;
  while (at !== odd && at !== finished) at = scanner.next(at);
  return at === finished;
}

const odd = -1;
const finished = -2;
const quote = 0x22;

// One object is reported for all cells: a sheet has millions.
class CellScanner implements ScannedCell {
  column = -1;
  type = "";
  style = 0;
  raw: string | undefined;
  inline: string | undefined;
  hasFormula = false;
  readonly #xml: string;
  readonly #sink: CellSink;
  #row = -1;

  constructor(xml: string, sink: CellSink) {
    this.#xml = xml;
    this.#sink = sink;
  }

  /** Reads the tag at or after `from`; the position after it. */
  next(from: number): number {
    const xml = this.#xml;
    const at = this.#skipSpace(from);
    if (xml.charCodeAt(at) !== 0x3c) return odd;
    const code = xml.charCodeAt(at + 1);
    if (code === 0x63) return this.#cell(at);
    if (xml.startsWith("<row", at)) return this.#startRow(at);
    if (xml.startsWith("</row>", at)) return at + 6;
    return xml.startsWith("</sheetData>", at) ? finished : odd;
  }

  #skipSpace(from: number): number {
    let at = from;
    while (isSpace(this.#xml.charCodeAt(at))) at++;
    return at;
  }

  #startRow(at: number): number {
    let index = this.#row + 1;
    let isHidden = false;
    const end = this.#attributes(at + 4, (name, value) => {
      if (name === "r") index = Number(value) - 1;
      else if (name === "hidden") isHidden = value === "1" || value === "true";
    });
    if (end === odd || !Number.isSafeInteger(index) || index < 0) return odd;
    this.#row = index;
    this.column = -1;
    this.#sink.startRow(index, isHidden);
    return end;
  }

  // Calls back for each attribute; the position after the tag.
  #attributes(from: number, take: (name: string, value: string) => void): number {
    const xml = this.#xml;
    let at = from;
    for (;;) {
      at = this.#skipSpace(at);
      const code = xml.charCodeAt(at);
      if (code === 0x3e) return at + 1;
      if (code === 0x2f) return xml.charCodeAt(at + 1) === 0x3e ? at + 2 : odd;
      const equalsAt = xml.indexOf("=", at);
      if (equalsAt === -1 || xml.charCodeAt(equalsAt + 1) !== quote || equalsAt - at > 64) return odd;
      const closeAt = xml.indexOf('"', equalsAt + 2);
      if (closeAt === -1) return odd;
      take(xml.slice(at, equalsAt), xml.slice(equalsAt + 2, closeAt));
      at = closeAt + 1;
    }
  }

  #cell(at: number): number {
    const end = this.#cellAttributes(at + 2);
    if (end === odd) return odd;
    return this.#xml.charCodeAt(end - 2) === 0x2f ? end : this.#cellContent(end);
  }

  // The attributes of `c` by hand: there is one for each cell.
  #cellAttributes(from: number): number {
    const xml = this.#xml;
    this.column++;
    this.type = "";
    this.style = 0;
    let at = from;
    for (;;) {
      at = this.#skipSpace(at);
      const code = xml.charCodeAt(at);
      if (code === 0x3e) return at + 1;
      if (code === 0x2f) return xml.charCodeAt(at + 1) === 0x3e ? at + 2 : odd;
      const isShort = xml.charCodeAt(at + 1) === 0x3d;
      const valueAt = isShort ? at + 2 : xml.indexOf("=", at) + 1;
      if (valueAt === 0 || valueAt - at > 64 || xml.charCodeAt(valueAt) !== quote) return odd;
      const closeAt = xml.indexOf('"', valueAt + 1);
      if (closeAt === -1 || (isShort && !this.#takeCellAttribute(code, valueAt + 1, closeAt))) return odd;
      at = closeAt + 1;
    }
  }

  #takeCellAttribute(name: number, from: number, to: number): boolean {
    if (name === 0x72) return this.#takeReference(from, to);
    if (name === 0x74) this.type = this.#xml.slice(from, to);
    else if (name === 0x73) this.style = this.#number(from, to);
    return true;
  }

  #number(from: number, to: number): number {
    let value = 0;
    for (let at = from; at < to; at++) value = value * 10 + this.#xml.charCodeAt(at) - 0x30;
    return value;
  }

  // Letters of the column; the row is the one that the cell stands in.
  #takeReference(from: number, to: number): boolean {
    let column = 0;
    let at = from;
    for (; at < to; at++) {
      const code = this.#xml.charCodeAt(at);
      if (code < 0x41 || code > 0x5a) break;
      column = column * 26 + code - 0x40;
    }
    if (at === from || at - from > 3) return false;
    this.column = column - 1;
    return true;
  }

  #cellContent(from: number): number {
    const sharedEnd = this.type === "s" ? this.#sharedContent(from) : odd;
    if (sharedEnd !== odd) return sharedEnd;
    this.raw = undefined;
    this.inline = undefined;
    this.hasFormula = false;
    let at = from;
    for (;;) {
      at = this.#skipSpace(at);
      const next = this.#contentElement(at);
      if (next === odd) break;
      at = next;
    }
    const end = closed(this.#xml, "</c>", at);
    if (end === odd || this.#row < 0) return odd;
    this.#sink.cell(this);
    return end;
  }

  // `<v>12</v></c>` and nothing else.
  #sharedContent(from: number): number {
    const xml = this.#xml;
    if (!xml.startsWith("<v>", from) || this.#row < 0) return odd;
    let at = from + 3;
    let index = 0;
    for (; xml.charCodeAt(at) !== 0x3c; at++) {
      const digit = xml.charCodeAt(at) - 0x30;
      if (!(digit >= 0 && digit <= 9)) return odd;
      index = index * 10 + digit;
    }
    const end = at === from + 3 ? odd : closed(xml, "</v></c>", at);
    if (end !== odd) this.#sink.sharedString(this.column, index);
    return end;
  }

  // The position after one element inside a cell; odd for any other.
  #contentElement(at: number): number {
    const xml = this.#xml;
    if (xml.startsWith("<v>", at)) {
      const end = xml.indexOf("<", at + 3);
      this.raw = xml.slice(at + 3, end);
      return closed(xml, "</v>", end);
    }
    if (xml.startsWith("<f", at)) {
      this.hasFormula = true;
      return skipFormula(xml, at);
    }
    if (!xml.startsWith("<is>", at)) return odd;
    const end = xml.indexOf("</is>", at);
    this.inline = xml.slice(at + 4, end);
    return closed(xml, "</is>", end);
  }
}

function closed(xml: string, tag: string, at: number): number {
  return at !== -1 && xml.startsWith(tag, at) ? at + tag.length : odd;
}

function skipFormula(xml: string, at: number): number {
  const end = xml.indexOf(">", at);
  if (end === -1) return odd;
  return xml.charCodeAt(end - 1) === 0x2f ? end + 1 : closed(xml, "</f>", xml.indexOf("<", end));
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
