import { maxRowBytes, type RawRecord, type SplitFault, type Splitter } from "./source-row.ts";

const char = { quote: 0x22, backslash: 0x5c, comma: 0x2c, open: 0x5b, close: 0x5d, openBrace: 0x7b, closeBrace: 0x7d };
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Cuts the elements out of a JSON array (`array`), or JSON values that follow each other (`values`). Only strings and
 * brackets are looked at: whether an element is valid JSON is for the parser to say.
 */
export function createJsonSplitter(mode: "array" | "values"): Splitter {
  return new JsonSplitter(mode);
}

class JsonSplitter implements Splitter {
  private chunk: Buffer = Buffer.alloc(0);
  private chunkOffset = 0;
  // `line` begins at `lineStart` (a position in the file); `nextBreak` is the first line feed of the chunk that is not counted.
  private line = 1;
  private lineStart = 0;
  private nextBreak = Number.POSITIVE_INFINITY;
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  private isScalar = false;
  /** Position in this chunk from which bytes belong to the record, -1 between records. */
  private recordStart = -1;
  private pieces: Buffer[] = [];
  private length = 0;
  private recordLine = 1;
  private recordOffset = 0;
  private place: "before" | "first" | "element" | "separator" | "after";
  private isDone = false;
  private found: (RawRecord | SplitFault)[] = [];

  private readonly isArray: boolean;

  constructor(mode: "array" | "values") {
    this.isArray = mode === "array";
    this.place = this.isArray ? "before" : "element";
  }

  push(chunk: Buffer): (RawRecord | SplitFault)[] {
    this.found = [];
    this.chunk = chunk;
    this.nextBreak = this.findBreak(0);
    if (this.recordStart >= 0) this.recordStart = 0;
    let at = 0;
    while (at < chunk.length && !this.isDone) at = this.step(at);
    if (this.recordStart >= 0) this.keep(chunk.length);
    this.countLinesTo(this.chunkOffset + chunk.length);
    this.chunkOffset += chunk.length;
    return this.found;
  }

  end(): (RawRecord | SplitFault)[] {
    this.found = [];
    this.chunk = Buffer.alloc(0);
    if (this.isDone) return this.found;
    if (this.recordStart >= 0) this.endUnclosed();
    if (this.isArray && this.place !== "after") this.fault("ARRAY_NOT_CLOSED", this.chunkOffset);
    return this.found;
  }

  private step(at: number): number {
    if (this.isInString) return this.skipString(at);
    if (this.recordStart < 0) return this.stepBetween(at);
    return this.isScalar ? this.stepScalar(at) : this.stepInside(at);
  }

  private stepInside(start: number): number {
    const { chunk } = this;
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (byte === char.quote) {
        this.isInString = true;
        return at + 1;
      }
      if (byte === char.openBrace || byte === char.open) this.depth++;
      else if ((byte === char.closeBrace || byte === char.close) && --this.depth === 0) {
        this.finish(at + 1);
        return at + 1;
      }
    }
    return chunk.length;
  }

  private skipString(start: number): number {
    const { chunk } = this;
    let from = start;
    if (this.isEscaped) {
      this.isEscaped = false;
      from++;
    }
    for (let at = chunk.indexOf(char.quote, from); at >= 0; at = chunk.indexOf(char.quote, from)) {
      if (!this.isOddRun(from, at)) {
        this.isInString = false;
        if (this.depth === 0) this.finish(at + 1);
        return at + 1;
      }
      from = at + 1;
    }
    this.isEscaped = this.isOddRun(from, chunk.length);
    return chunk.length;
  }

  /** Whether an odd number of backslashes stands before `end`, not looking before `from`. */
  private isOddRun(from: number, end: number): boolean {
    let before = end - 1;
    while (before >= from && this.chunk[before] === char.backslash) before--;
    return (end - 1 - before) % 2 === 1;
  }

  private stepScalar(at: number): number {
    const byte = this.chunk[at] as number;
    const isEnd = isSpace(byte) || byte === char.comma || byte === char.close || byte === char.openBrace;
    if (!isEnd) return at + 1;
    this.finish(at);
    return at;
  }

  private stepBetween(at: number): number {
    const byte = this.chunk[at] as number;
    if (isSpace(byte)) return at + 1;
    if (this.place === "before") {
      this.place = "first";
      return at + 1;
    }
    if (this.place === "after") return this.stop("TEXT_AFTER_ARRAY", at);
    if (this.isArray && byte === char.close) return this.closeArray(at);
    if (this.isArray && byte === char.comma) return this.readComma(at);
    if (this.place === "separator") {
      if (byte === char.closeBrace) return this.stop("ROW_NOT_CLOSED", at, "A closing bracket is one too many.");
      this.fault("MISSING_COMMA", this.chunkOffset + at);
    }
    this.begin(at, byte);
    return this.isScalar ? at : at + 1;
  }

  private closeArray(at: number): number {
    if (this.place === "element") this.fault("TRAILING_COMMA", this.chunkOffset + at);
    this.place = "after";
    return at + 1;
  }

  private readComma(at: number): number {
    if (this.place !== "separator") this.fault("TRAILING_COMMA", this.chunkOffset + at);
    this.place = "element";
    return at + 1;
  }

  private begin(at: number, byte: number): void {
    this.recordStart = at;
    this.recordOffset = this.chunkOffset + at;
    this.countLinesTo(this.recordOffset);
    this.recordLine = this.line;
    this.isInString = byte === char.quote;
    this.depth = byte === char.openBrace || byte === char.open ? 1 : 0;
    this.isScalar = !this.isInString && this.depth === 0;
    // A closing bracket or a comma where a value should stand is taken as a value of its own, for the parser to refuse.
    if (this.isScalar && (byte === char.comma || byte === char.close || byte === char.closeBrace)) this.finish(at + 1);
  }

  private keep(end: number): void {
    const whole = this.chunk.subarray(this.recordStart, end);
    const piece = end === this.chunk.length ? Buffer.from(whole) : whole;
    this.length += piece.length;
    if (this.length <= maxRowBytes) this.pieces.push(piece);
    else this.pieces = [];
  }

  private finish(end: number): void {
    this.keep(end);
    const bytes = this.pieces.length === 1 ? (this.pieces[0] as Buffer) : Buffer.concat(this.pieces);
    this.found.push({
      bytes,
      line: this.recordLine,
      byteOffset: this.recordOffset,
      isTooLong: this.length > maxRowBytes,
    });
    this.pieces = [];
    this.length = 0;
    this.recordStart = -1;
    this.isScalar = false;
    this.place = this.isArray ? "separator" : "element";
  }

  private endUnclosed(): void {
    this.recordStart = 0;
    this.finish(0);
  }

  private stop(code: SplitFault["code"], at: number, detail?: string): number {
    this.fault(code, this.chunkOffset + at, detail);
    this.isDone = true;
    return this.chunk.length;
  }

  private fault(code: SplitFault["code"], byteOffset: number, detail?: string): void {
    this.countLinesTo(byteOffset);
    this.found.push({ code, line: this.line, column: byteOffset - this.lineStart + 1, detail });
  }

  private countLinesTo(byteOffset: number): void {
    const end = byteOffset - this.chunkOffset;
    for (; this.nextBreak < end; this.nextBreak = this.findBreak(this.nextBreak + 1)) {
      this.line++;
      this.lineStart = this.chunkOffset + this.nextBreak + 1;
    }
  }

  private findBreak(from: number): number {
    const at = this.chunk.indexOf(0x0a, from);
    return at < 0 ? Number.POSITIVE_INFINITY : at;
  }
}
