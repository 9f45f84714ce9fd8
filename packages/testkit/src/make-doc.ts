import { encodeDocText, type EncodedDocText, type MadeParagraph, textOffset } from "./make-doc-text.ts";
import { makeCompound } from "./make-encrypted-package.ts";

export interface MadeStyle {
  /** Number of a built-in style; of the user's own when absent. */
  readonly builtin?: number;
  readonly name: string;
  readonly kind?: 1 | 2;
  readonly base?: number;
  readonly paragraph?: string;
  readonly characters?: string;
}

export interface MadeDoc {
  readonly paragraphs: readonly MadeParagraph[];
  /** Paragraphs of notes, after those of the main story. */
  readonly notes?: readonly MadeParagraph[];
  /** Paragraphs of text boxes, after those. */
  readonly boxes?: readonly MadeParagraph[];
  readonly styles?: readonly MadeStyle[];
  readonly languageId?: number;
  /** Structures by their index in FibRgFcLcb97, or by their offset in the block of Word 6. */
  readonly structures?: Readonly<Record<number, Buffer>>;
  readonly data?: Buffer;
  /** Positions, places and sizes of pieces; one piece of everything when absent. */
  readonly pieces?: readonly MadePiece[];
}

export interface MadePiece {
  readonly end: number;
  readonly offset: number;
  readonly isNarrow?: boolean;
  readonly modifier?: number;
}

/** A document of Word 97 with its text in two bytes per character, or one of Word 6 whose text is given as Latin-1. */
export function makeDoc(document: MadeDoc, isWord6 = false): Buffer {
  const streams = makeDocStreams(document, isWord6);
  return makeCompound(Object.entries(streams));
}

export function makeDocStreams(document: MadeDoc, isWord6 = false): Record<string, Buffer> {
  const encoded = encodeDocText([document.paragraphs, document.notes ?? [], document.boxes ?? []], isWord6);
  const fib = makeFib(encoded, document, isWord6);
  const table = isWord6 ? [encoded.main] : [];
  for (const [at, bytes] of structuresOf(encoded, document, isWord6)) {
    const placeAt = isWord6 ? at : 154 + 8 * at;
    fib.writeUInt32LE(Buffer.concat(table).length, placeAt);
    fib.writeUInt32LE(bytes.length, placeAt + 4);
    table.push(bytes);
  }
  const main = isWord6 ? Buffer.concat(table) : encoded.main;
  fib.copy(main);
  if (isWord6) return { WordDocument: padded(main) };
  const data = document.data === undefined ? {} : { Data: padded(document.data) };
  return { WordDocument: padded(main), "1Table": padded(Buffer.concat(table)), ...data };
}

type Structures = [at: number, bytes: Buffer][];

function structuresOf(encoded: EncodedDocText, { styles, pieces, structures }: MadeDoc, isWord6: boolean): Structures {
  const total = encoded.lengths.reduce((sum, length) => sum + length, 0);
  const all: Structures = [
    [isWord6 ? 0x60 : 1, makeStyles(styles ?? [{ name: "Normal", builtin: 0 }], isWord6)],
    [isWord6 ? 0xb8 : 12, makeIndex(encoded.characterPages, isWord6)],
    [isWord6 ? 0xc0 : 13, makeIndex(encoded.paragraphPages, isWord6)],
  ];
  const isInPieces = !isWord6 || pieces !== undefined;
  if (isInPieces) all.push([isWord6 ? 0x160 : 33, makePieces(pieces ?? [{ end: total, offset: textOffset }])]);
  for (const [at, bytes] of Object.entries(structures ?? {})) all.push([Number(at), bytes]);
  return all;
}

// Streams that are not small lie in sectors of their own.
function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(Math.max(0, 4096 - bytes.length))]);
}

function makeFib({ lengths, main }: EncodedDocText, { languageId = 0x409 }: MadeDoc, isWord6: boolean): Buffer {
  const fib = Buffer.alloc(textOffset);
  fib.writeUInt16LE(isWord6 ? 0xa5dc : 0xa5ec, 0);
  fib.writeUInt16LE(isWord6 ? 101 : 193, 2);
  fib.writeUInt16LE(languageId, 6);
  fib.writeUInt16LE(isWord6 ? 0 : 0x0200, 10);
  fib.writeUInt32LE(textOffset, 24);
  fib.writeUInt32LE(main.length, 28);
  if (!isWord6) {
    fib.writeUInt16LE(14, 32);
    fib.writeUInt16LE(22, 62);
    fib.writeUInt16LE(93, 152);
  }
  const lengthsAt = isWord6 ? 0x34 : 76;
  fib.writeUInt32LE(lengths[0], lengthsAt);
  fib.writeUInt32LE(lengths[1], lengthsAt + 4);
  fib.writeUInt32LE(lengths[2], lengthsAt + 24);
  return fib;
}

function makeIndex(pages: readonly number[], isWord6: boolean): Buffer {
  const bytes = Buffer.alloc(4 * (pages.length + 1) + (isWord6 ? 2 : 4) * pages.length);
  for (const [index, page] of pages.entries()) {
    bytes.writeUInt16LE(page, 4 * (pages.length + 1) + (isWord6 ? 2 : 4) * index);
  }
  return bytes;
}

export function makePieces(pieces: readonly MadePiece[]): Buffer {
  const bytes = Buffer.alloc(4 + 12 * pieces.length);
  for (const [index, { end, offset, isNarrow = false, modifier = 0 }] of pieces.entries()) {
    bytes.writeUInt32LE(end, 4 * (index + 1));
    const at = 4 * (pieces.length + 1) + 8 * index;
    bytes.writeUInt32LE(isNarrow ? (offset * 2) | 0x40000000 : offset, at + 2);
    bytes.writeUInt16LE(modifier, at + 6);
  }
  const head = Buffer.from([2, 0, 0, 0, 0]);
  head.writeUInt32LE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

function makeStyles(styles: readonly MadeStyle[], isWord6: boolean): Buffer {
  const head = Buffer.alloc(20);
  head.writeUInt16LE(18, 0);
  head.writeUInt16LE(styles.length, 2);
  head.writeUInt16LE(10, 4);
  const definitions = styles.map((style, index) => makeStyle(style, index, isWord6));
  return Buffer.concat([head, ...definitions]);
}

function makeStyle(style: MadeStyle, index: number, isWord6: boolean): Buffer {
  const { builtin = 0xffe, name, kind = 1, base = 0xfff, paragraph = "", characters = "" } = style;
  const head = Buffer.alloc(10);
  head.writeUInt16LE(builtin, 0);
  head.writeUInt16LE(kind | (base << 4), 2);
  head.writeUInt16LE(kind === 1 ? 2 : 1, 4);
  const length = isWord6 ? Buffer.from([name.length]) : Buffer.from([name.length, 0]);
  const text = Buffer.from(`${name}\0`, isWord6 ? "latin1" : "utf16le");
  const start = Buffer.concat([head, length, text]);
  const number = Buffer.from([index & 0xff, index >> 8]);
  const groups = [Buffer.from(characters, "hex")];
  if (kind === 1) groups.unshift(Buffer.concat([number, Buffer.from(paragraph, "hex")]));
  const definition = Buffer.concat([start, Buffer.alloc(start.length & 1), ...groups.map(sized)]);
  return sized(definition);
}

function sized(bytes: Buffer): Buffer {
  const size = Buffer.alloc(2);
  size.writeUInt16LE(bytes.length);
  return Buffer.concat([size, bytes, Buffer.alloc(bytes.length & 1)]);
}
