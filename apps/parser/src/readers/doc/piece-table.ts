import { i16, u16, u32, u8 } from "./bytes.ts";
import type { Fib, StoryLengths } from "./fib.ts";
import { readPlc } from "./plc.ts";

/** Characters that lie together in the main stream. */
export interface Piece {
  /** Position of the first character, and the one after the last. */
  readonly start: number;
  readonly end: number;
  /** Byte of the main stream where they begin. */
  readonly offset: number;
  readonly bytesPerCharacter: 1 | 2;
  /** Changes to the properties of all of it. */
  readonly changes: Buffer;
}

export interface PieceTable {
  readonly pieces: readonly Piece[];
  /** Why it is not all there, for a warning. */
  readonly fault?: "cut" | "repeated" | "missing";
}

interface PieceSource {
  readonly main: Buffer;
  readonly fib: Fib;
  /** The bytes of the CLX; undefined when they lie outside of their stream. */
  readonly clx: Buffer | undefined;
}

/** The pieces of all stories, in the order of the text ([MS-DOC] 2.8.35); no byte is given out more often than the file has bytes. */
export function readPieceTable({ main, fib, clx }: PieceSource): PieceTable {
  const table = clx === undefined ? undefined : findPieces(clx);
  if (table === undefined) return plainText(main, fib);
  const plc = readPlc(table.pieces, 8);
  const pieces = Array.from({ length: plc.count }, (_, index) => toPiece(plc, index, { fib, groups: table.groups }));
  return cutToFile(pieces, main.length);
}

function cutToFile(stated: readonly Piece[], mainBytes: number): PieceTable {
  const pieces: Piece[] = [];
  let bytesLeft = mainBytes;
  let start = 0;
  for (const piece of stated) {
    if (piece.start !== start || piece.end < start) return { pieces, fault: "cut" };
    start = piece.end;
    const cut = cutToStream(piece, Math.min(mainBytes, piece.offset + bytesLeft));
    bytesLeft -= (cut.end - cut.start) * cut.bytesPerCharacter;
    if (cut.end > cut.start) pieces.push(cut);
    if (cut.end < piece.end) return { pieces, fault: bytesLeft < 2 ? "repeated" : "cut" };
  }
  return { pieces };
}

function cutToStream(piece: Piece, lastByte: number): Piece {
  const room = Math.max(0, Math.floor((lastByte - piece.offset) / piece.bytesPerCharacter));
  return { ...piece, end: Math.min(piece.end, piece.start + room) };
}

interface FoundPieces {
  readonly pieces: Buffer;
  /** Groups of changes that pieces refer to by number. */
  readonly groups: readonly Buffer[];
}

const groupMark = 1;
const tableMark = 2;

function findPieces(clx: Buffer): FoundPieces | undefined {
  const groups: Buffer[] = [];
  let at = 0;
  while (at + 3 <= clx.length && u8(clx, at) === groupMark) {
    const size = Math.max(0, i16(clx, at + 1));
    groups.push(clx.subarray(at + 3, at + 3 + size));
    at += 3 + size;
  }
  if (u8(clx, at) !== tableMark || at + 5 > clx.length) return undefined;
  return { groups, pieces: clx.subarray(at + 5, at + 5 + u32(clx, at + 1)) };
}

interface PieceContext {
  readonly fib: Fib;
  readonly groups: readonly Buffer[];
}

/** Set on the place of text in one byte per character, which is then twice the byte ([MS-DOC] 2.9.73). */
const compressedFlag = 0x40000000;

function toPiece(plc: ReturnType<typeof readPlc>, index: number, { fib, groups }: PieceContext): Piece {
  const descriptor = plc.data(index);
  const place = u32(descriptor, 2);
  const isCompressed = !fib.isWord6 && (place & compressedFlag) !== 0;
  const isNarrow = fib.isWord6 ? !fib.isWide : isCompressed;
  return {
    start: plc.position(index),
    end: plc.position(index + 1),
    offset: isCompressed ? (place & 0x3fffffff) >>> 1 : place,
    bytesPerCharacter: isNarrow ? 1 : 2,
    changes: changesOf(u16(descriptor, 6), groups, fib.isWord6),
  };
}

const noChanges = Buffer.alloc(0);

// One change with an operand of one byte, or the number of a group ([MS-DOC] 2.9.190).
function changesOf(modifier: number, groups: readonly Buffer[], isWord6: boolean): Buffer {
  if (modifier === 0) return noChanges;
  if ((modifier & 1) !== 0) return groups[modifier >> 1] ?? noChanges;
  const code = (modifier >> 1) & 0x7f;
  const operand = modifier >> 8;
  if (isWord6) return Buffer.from([code, operand]);
  const full = shortCodes.get(code);
  return full === undefined ? noChanges : Buffer.from([full & 0xff, full >> 8, operand]);
}

// Those of the short codes of [MS-DOC] 2.9.189 that say something about text.
const shortCodes: ReadonlyMap<number, number> = new Map([
  [0x18, 0x2416],
  [0x19, 0x2417],
  [0x41, 0x0800],
  [0x42, 0x0801],
  [0x47, 0x0806],
  [0x4b, 0x080a],
  [0x53, 0x2a33],
  [0x55, 0x0835],
  [0x56, 0x0836],
  [0x5c, 0x083c],
  [0x68, 0x2a48],
  [0x75, 0x0855],
  [0x76, 0x0856],
]);

// Files of Word 6 that are not fast-saved have their text in one piece and often no table.
function plainText(main: Buffer, fib: Fib): PieceTable {
  const { textStart, textEnd, isWord6, lengths } = fib;
  if (!isWord6 && (fib.isComplex || textEnd <= textStart)) return { pieces: [], fault: "missing" };
  const wanted = totalLength(lengths);
  const isWide = isWord6 ? fib.isWide : textEnd - textStart >= 2 * wanted;
  // Text in one byte per character and in two, and nothing that says which.
  const isMixed = !isWord6 && !isWide && textEnd - textStart > 1.1 * wanted;
  if (isMixed) return { pieces: [], fault: "missing" };
  const bytesPerCharacter = isWide ? 2 : 1;
  const whole: Piece = { start: 0, end: wanted, offset: textStart, bytesPerCharacter, changes: noChanges };
  const piece = cutToStream(whole, main.length);
  const pieces = piece.end > piece.start ? [piece] : [];
  if (!isWord6) return { pieces, fault: "missing" };
  return piece.end < wanted ? { pieces, fault: "cut" } : { pieces };
}

export function totalLength(lengths: StoryLengths): number {
  return Object.values(lengths).reduce((total, length) => total + length, 0);
}
