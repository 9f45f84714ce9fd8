import { hwpTag } from "./hwp-records.ts";

/** A record of version 5 at a level (HWP 5.0, 4.1). */
export function record(tag: number, level: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const isLong = body.length >= 0xfff;
  const header = Buffer.alloc(isLong ? 8 : 4);
  header.writeUInt32LE(((isLong ? 0xfff : body.length) * 0x10_0000 + level * 0x400 + tag) >>> 0, 0);
  if (isLong) header.writeUInt32LE(body.length, 4);
  return Buffer.concat([header, body]);
}

export function shorts(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, 2 * index);
  return bytes;
}

export function longs(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}

export function counted(words: string): Buffer {
  return Buffer.concat([shorts(words.length), Buffer.from(words, "utf16le")]);
}

export interface ParagraphParts {
  readonly text: string;
  readonly level?: number;
  readonly shape?: number;
  readonly style?: number;
  /** Places and numbers of character shapes in turn. */
  readonly runs?: readonly number[];
  /** Records of its controls, one level below. */
  readonly controls?: readonly Buffer[];
}

/** A paragraph; control characters in its text get the places that the format wants. */
export function paragraph({ text, level = 0, shape = 0, style = 0, runs, controls = [] }: ParagraphParts): Buffer {
  const head = Buffer.concat([longs(text.length, 0), shorts(shape), Buffer.from([style, 0]), Buffer.alloc(10)]);
  const padded = Array.from(text, (code) => (isWide(code) ? `${code}${"\0".repeat(6)}${code}` : code)).join("");
  return Buffer.concat([
    record(hwpTag.paragraph, level, head),
    record(hwpTag.text, level + 1, Buffer.from(padded, "utf16le")),
    ...(runs === undefined ? [] : [record(hwpTag.characterShapes, level + 1, longs(...runs))]),
    ...controls,
  ]);
}

function isWide(character: string): boolean {
  return character < "\u0018" && !["\0", "\n", "\r"].includes(character);
}

/** The record of a control by its name of four characters, and the records below it. */
export function control(name: string, { level = 1, below = [], more = Buffer.alloc(0) }: ControlParts): Buffer {
  const id = Buffer.from(name, "latin1").reverse();
  return Buffer.concat([record(hwpTag.control, level, Buffer.concat([id, more])), ...below]);
}

export interface ControlParts {
  readonly level?: number;
  readonly below?: readonly Buffer[];
  readonly more?: Buffer;
}

export interface CellParts {
  readonly text: string;
  readonly at: readonly [row: number, column: number];
  readonly spans?: readonly [rows: number, columns: number];
  readonly isHeader?: boolean;
}

/** A table whose control stands at a level. */
export function table(level: number, cells: readonly CellParts[]): Buffer {
  const below = cells.flatMap(
    ({ text, at: [row, column], spans: [rowSpan, columnSpan] = [1, 1], isHeader = false }) => [
      record(
        hwpTag.list,
        level + 1,
        Buffer.concat([longs(1, isHeader ? 1 << 18 : 0), shorts(column, row, columnSpan, rowSpan), Buffer.alloc(18)]),
      ),
      paragraph({ text, level: level + 1 }),
    ],
  );
  return control("tbl ", { level, below: [record(hwpTag.table, level + 1, Buffer.alloc(20)), ...below] });
}

/** A shape of characters with these attributes, of paragraphs, and a style of this name. */
export const characterShape = (attributes: number): Buffer =>
  record(hwpTag.characterShape, 1, Buffer.concat([Buffer.alloc(46), longs(attributes), Buffer.alloc(20)]));
export const paragraphShape = (kind: number, level: number): Buffer =>
  record(hwpTag.paragraphShape, 1, Buffer.concat([longs(kind * 0x80_0000 + level * 0x200_0000), Buffer.alloc(50)]));
export const styleNamed = (name: string): Buffer =>
  record(hwpTag.style, 1, Buffer.concat([counted(name), counted(""), Buffer.alloc(8)]));

/** The header of a file with these flags. */
export function fileHeader(flags: number): Buffer {
  const header = Buffer.alloc(256);
  header.write("HWP Document File", "latin1");
  header.writeUInt32LE(0x0500_0300, 32);
  header.writeUInt32LE(flags, 36);
  return header;
}
