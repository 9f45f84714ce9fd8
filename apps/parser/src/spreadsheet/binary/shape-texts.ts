import { findStream } from "./find-stream.ts";
import { ChartReader } from "./chart-reader.ts";

/** Record types of [MS-XLS] 2.3. */
const record = { beginning: 0x0809, end: 0x000a, text: 0x01b6, continuation: 0x003c } as const;
/** The kind of a stream of records that is a chart ([MS-XLS] 2.4.21). */
const chartKind = 0x0020;
const maxTexts = 10_000;

/** What is drawn on a sheet. */
export interface DrawnTexts {
  /** Notes of cells have such texts too. */
  readonly shapes: readonly string[];
  /** What the charts show: their kinds and titles. */
  readonly charts: readonly string[];
}

/**
 * Texts of shapes and titles of charts, by the position of their sheet in the workbook.
 *
 * The library that reads the cells passes them over; shapes lie in TXO records ([MS-XLS] 2.4.329), each followed by the
 * characters in CONTINUE records that begin with a byte of flags. Empty for files without streams of BIFF8.
 */
export async function readShapeTexts(bytes: Uint8Array): Promise<ReadonlyMap<number, DrawnTexts>> {
  const stream =
    (await findStream(bytes, ["Workbook", "Book"])) ?? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const walk = new DrawingWalk();
  for (let at = 0; at + 4 <= stream.length && walk.count < maxTexts; at = nextRecord(stream, at))
    walk.visit(stream, at);
  return walk.sheets;
}

class DrawingWalk {
  readonly sheets = new Map<number, { shapes: string[]; charts: string[] }>();
  count = 0;
  // The first stream of records is that of the workbook, the others are those of its sheets, in order. Charts on sheets are
  // streams inside streams.
  #sheet = -2;
  #depth = 0;
  #chart: { readonly depth: number; readonly reader: ChartReader } | undefined;

  visit(stream: Buffer, at: number): void {
    const type = stream.readUInt16LE(at);
    if (type === record.beginning) this.#begin(at + 8 <= stream.length ? stream.readUInt16LE(at + 6) : 0);
    else if (type === record.end) this.#end();
    else if (type === record.text) this.#add("shapes", textAfter(stream, at).trim());
    else this.#chart?.reader.visit(type, stream.subarray(at + 4, nextRecord(stream, at)));
  }

  #begin(kind: number): void {
    if (this.#depth === 0) this.#sheet++;
    this.#depth++;
    if (kind === chartKind) this.#chart ??= { depth: this.#depth, reader: new ChartReader() };
  }

  #end(): void {
    if (this.#chart?.depth === this.#depth) {
      this.#add("charts", this.#chart.reader.description);
      this.#chart = undefined;
    }
    this.#depth = Math.max(0, this.#depth - 1);
  }

  #add(kind: keyof DrawnTexts, text: string): void {
    if (text === "" || this.#sheet < 0) return;
    this.count++;
    const texts = this.sheets.get(this.#sheet) ?? { shapes: [], charts: [] };
    texts[kind].push(text);
    this.sheets.set(this.#sheet, texts);
  }
}

function nextRecord(stream: Buffer, at: number): number {
  return at + 4 + (at + 4 <= stream.length ? stream.readUInt16LE(at + 2) : 0);
}

function textAfter(stream: Buffer, at: number): string {
  let left = at + 16 <= stream.length ? stream.readUInt16LE(at + 14) : 0;
  let text = "";
  for (let next = nextRecord(stream, at); left > 0; next = nextRecord(stream, next)) {
    if (next + 5 > stream.length || stream.readUInt16LE(next) !== record.continuation) break;
    const end = Math.min(stream.length, nextRecord(stream, next));
    const isWide = ((stream[next + 4] ?? 0) & 1) === 1;
    const part = stream.toString(isWide ? "utf16le" : "latin1", next + 5, end).slice(0, left);
    text += part;
    left -= part.length;
    if (part === "") break;
  }
  return text.replaceAll(/\r\n?/g, "\n");
}
