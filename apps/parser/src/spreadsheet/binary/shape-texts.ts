import { findStream } from "./find-stream.ts";

/** Record types of [MS-XLS] 2.3. */
const record = { beginning: 0x0809, text: 0x01b6, continuation: 0x003c } as const;
const maxTexts = 10_000;

/**
 * Texts of shapes, by the position of their sheet in the workbook. Notes of cells have such texts too.
 *
 * The library that reads the cells passes them over; they lie in TXO records ([MS-XLS] 2.4.329), each followed by the
 * characters in CONTINUE records that begin with a byte of flags. Empty for files that are no compound BIFF8 file.
 */
export async function readShapeTexts(bytes: Uint8Array): Promise<ReadonlyMap<number, readonly string[]>> {
  const stream = await findStream(bytes, ["Workbook", "Book"]);
  const texts = new Map<number, string[]>();
  if (stream === undefined) return texts;
  // The first stream of records is that of the workbook, the others are those of its sheets, in order.
  let sheet = -2;
  let count = 0;
  for (let at = 0; at + 4 <= stream.length && count < maxTexts; at = nextRecord(stream, at)) {
    const type = stream.readUInt16LE(at);
    if (type === record.beginning && isSheetLevel(stream, at)) sheet++;
    if (type !== record.text || sheet < 0) continue;
    const text = textAfter(stream, at).trim();
    if (text === "") continue;
    count++;
    texts.set(sheet, [...(texts.get(sheet) ?? []), text]);
  }
  return texts;
}

function nextRecord(stream: Buffer, at: number): number {
  return at + 4 + stream.readUInt16LE(at + 2);
}

// Charts inside sheets begin records of their own (type 0x20), which are no sheets.
function isSheetLevel(stream: Buffer, at: number): boolean {
  return at + 8 <= stream.length && stream.readUInt16LE(at + 6) !== 0x0020;
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
