import { AppError } from "@attune/service-kit/app-error.ts";
import { u16, u32 } from "./bytes.ts";

/** Characters of each story; they follow one another in this order. */
export interface StoryLengths {
  readonly main: number;
  readonly footnotes: number;
  readonly headers: number;
  readonly macros: number;
  readonly comments: number;
  readonly endnotes: number;
  readonly textBoxes: number;
  readonly headerTextBoxes: number;
}

/** A structure that the file information block points to. */
export interface Place {
  readonly offset: number;
  readonly sizeBytes: number;
}

export type PlaceName = keyof typeof places97;

/** The file information block ([MS-DOC] 2.5), of Word 97 and later or of Word 6 and 95. */
export interface Fib {
  readonly isWord6: boolean;
  readonly languageId: number;
  /** Fast-saved, so that text of Word 6 lies in pieces. */
  readonly isComplex: boolean;
  readonly isEncrypted: boolean;
  readonly isObfuscated: boolean;
  /** Text of Word 6 in two bytes per character, as the versions of East Asia have it. */
  readonly isWide: boolean;
  readonly tableName: "0Table" | "1Table";
  /** Verifier of the password, or the size of the encryption header. */
  readonly key: number;
  /** First byte of the text, and the byte after it, in files that are not fast-saved. */
  readonly textStart: number;
  readonly textEnd: number;
  readonly lengths: StoryLengths;
  readonly places: Readonly<Record<PlaceName, Place>>;
  /** Pages of formatting of Word 6 that its index may leave out: the first page, and how many. */
  readonly characterPages: PageRun;
  readonly paragraphPages: PageRun;
}

export interface PageRun {
  readonly first: number;
  readonly count: number;
}

// Index in FibRgFcLcb97 ([MS-DOC] 2.5.6).
const places97 = {
  stylesheet: 1,
  footnoteReferences: 2,
  footnoteTexts: 3,
  commentReferences: 4,
  headers: 11,
  characterPages: 12,
  paragraphPages: 13,
  fonts: 15,
  pieces: 33,
  shapes: 40,
  headerShapes: 41,
  endnoteReferences: 46,
  endnoteTexts: 47,
  drawings: 50,
  textBoxes: 56,
  headerTextBoxes: 58,
  lists: 73,
  listOverrides: 74,
} as const;

// Offset in the block of Word 6 (Word 6.0 Binary File Format, 1994); 0 for what it has not.
const places6: Readonly<Record<PlaceName, number>> = {
  stylesheet: 0x60,
  footnoteReferences: 0x68,
  footnoteTexts: 0x70,
  commentReferences: 0x78,
  headers: 0xb0,
  characterPages: 0xb8,
  paragraphPages: 0xc0,
  fonts: 0xd0,
  pieces: 0x160,
  shapes: 0x192,
  headerShapes: 0x19a,
  endnoteReferences: 0x1d2,
  endnoteTexts: 0x1da,
  drawings: 0,
  textBoxes: 0x222,
  headerTextBoxes: 0x232,
  lists: 0,
  listOverrides: 0,
};

const signature97 = 0xa5ec;
/** Word 6 and 95, and those of East Asia. */
const signatures6: ReadonlySet<number> = new Set([0xa5dc, 0xa697, 0xa698, 0xa699]);
/** `nFib` of the first version with the layout of Word 97 ([MS-DOC] 2.5.1). */
const firstVersion97 = 0xc0;
const firstVersion6 = 100;

/** @throws AppError `DOCUMENT_CORRUPT` when the stream does not begin with a block that is known. */
export function readFib(stream: Buffer): Fib {
  const signature = u16(stream, 0);
  if (stream.length < 68 || (signature !== signature97 && !signatures6.has(signature))) {
    throw new AppError("DOCUMENT_CORRUPT", { detail: "Its text does not begin as that of Word 6 or later does." });
  }
  const version = u16(stream, 2);
  const isWord6 = version < firstVersion6 ? signatures6.has(signature) : version < firstVersion97;
  const flags = u16(stream, 10);
  return {
    isWord6,
    languageId: u16(stream, 6),
    isComplex: (flags & 0x0004) !== 0,
    isEncrypted: (flags & 0x0100) !== 0,
    tableName: (flags & 0x0200) === 0 ? "0Table" : "1Table",
    isWide: isWord6 && (flags & 0x1000) !== 0,
    isObfuscated: (flags & 0x8000) !== 0,
    key: u32(stream, 14),
    textStart: u32(stream, 24),
    textEnd: u32(stream, 28),
    ...(isWord6 ? layout6(stream) : layout97(stream)),
  };
}

type Layout = Pick<Fib, "lengths" | "places" | "characterPages" | "paragraphPages">;

const noPages: PageRun = { first: 0, count: 0 };

// The numbers stand in three arrays, each after its own length, which later versions make longer.
function layout97(stream: Buffer): Layout {
  const longsAt = 34 + 2 * u16(stream, 32) + 2;
  const placesAt = longsAt + 4 * u16(stream, longsAt - 2) + 2;
  const placeCount = u16(stream, placesAt - 2);
  const placeAt = (index: number): Place =>
    index < placeCount ? readPlace(stream, placesAt + 8 * index) : { offset: 0, sizeBytes: 0 };
  return {
    lengths: readLengths(stream, longsAt + 12),
    places: mapPlaces(places97, placeAt),
    characterPages: noPages,
    paragraphPages: noPages,
  };
}

function layout6(stream: Buffer): Layout {
  const placeAt = (offset: number): Place => (offset === 0 ? { offset: 0, sizeBytes: 0 } : readPlace(stream, offset));
  return {
    lengths: readLengths(stream, 0x34),
    places: mapPlaces(places6, placeAt),
    characterPages: { first: u16(stream, 0x18a), count: u16(stream, 0x18e) },
    paragraphPages: { first: u16(stream, 0x18c), count: u16(stream, 0x190) },
  };
}

function mapPlaces(table: Readonly<Record<PlaceName, number>>, placeAt: (at: number) => Place): Fib["places"] {
  const entries = Object.entries(table).map(([name, at]) => [name, placeAt(at)] as const);
  return Object.fromEntries(entries) as Record<PlaceName, Place>;
}

function readPlace(stream: Buffer, at: number): Place {
  return { offset: u32(stream, at), sizeBytes: u32(stream, at + 4) };
}

function readLengths(stream: Buffer, at: number): StoryLengths {
  const length = (index: number): number => u32(stream, at + 4 * index);
  return {
    main: length(0),
    footnotes: length(1),
    headers: length(2),
    macros: length(3),
    comments: length(4),
    endnotes: length(5),
    textBoxes: length(6),
    headerTextBoxes: length(7),
  };
}
