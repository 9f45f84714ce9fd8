import { i16, i32, u16, u32, u8 } from "./bytes.ts";
import { type OldNumbering, readOldNumbering } from "./old-numbering.ts";
import { walkSprms } from "./sprm.ts";

/** What groups of changes say about a paragraph, as far as it concerns its structure ([MS-DOC] 2.6.2). */
export interface ParagraphChanges {
  /** Another style than the paragraph had when it was last saved in full. */
  styleIndex?: number;
  isInTable?: boolean;
  /** The paragraph is the end of a row, and its group defines the row. */
  isRowEnd?: boolean;
  isInnerCellEnd?: boolean;
  isInnerRowEnd?: boolean;
  /** How many tables it lies in. */
  depth?: number;
  /** From 0; 9 for body text. */
  outlineLevel?: number;
  /** Number of its list override, from 1; 0 when it is in no list. */
  listIndex?: number;
  listLevel?: number;
  /** Left indent in twentieths of a point. */
  indent?: number;
  isDropCap?: boolean;
  oldNumbering?: OldNumbering;
  oldLevel?: number;
}

/** Groups of changes that lie apart from the paragraph, in the data stream. */
export type FindGroup = (offset: number) => Buffer | undefined;

export interface GroupSource {
  readonly isWord6: boolean;
  readonly findGroup: FindGroup;
}

/** Adds what a group says to what groups before it said. */
export function applyParagraphGroup(changes: ParagraphChanges, group: Buffer, source: GroupSource): void {
  walkSprms(group, source.isWord6, (code, bytes, at) => {
    if (isHugeGroup(code)) applyHugeGroup(changes, u32(bytes, at), source);
    else appliers.get(code)?.(changes, bytes, at);
  });
}

/** sprmPHugePapx and the code that Word 97 had for it. */
function isHugeGroup(code: number): boolean {
  return code === 0x6646 || code === 0x6645;
}

// Such a group names no other one.
function applyHugeGroup(changes: ParagraphChanges, offset: number, { isWord6, findGroup }: GroupSource): void {
  const group = findGroup(offset);
  if (group === undefined) return;
  walkSprms(group, isWord6, (code, bytes, at) => appliers.get(code)?.(changes, bytes, at));
}

type Apply = (changes: ParagraphChanges, bytes: Buffer, at: number) => void;

const setIndent: Apply = (changes, bytes, at) => void (changes.indent = i16(bytes, at));

const appliers: ReadonlyMap<number, Apply> = new Map<number, Apply>([
  [0x2416, (changes, bytes, at) => void (changes.isInTable = u8(bytes, at) !== 0)],
  [0x2417, (changes, bytes, at) => void (changes.isRowEnd = u8(bytes, at) !== 0)],
  [0x244b, (changes, bytes, at) => void (changes.isInnerCellEnd = u8(bytes, at) !== 0)],
  [0x244c, (changes, bytes, at) => void (changes.isInnerRowEnd = u8(bytes, at) !== 0)],
  [0x25ff, (changes, bytes, at) => void (changes.oldLevel = u8(bytes, at))],
  [0x260a, (changes, bytes, at) => void (changes.listLevel = u8(bytes, at))],
  [0x2640, (changes, bytes, at) => void (changes.outlineLevel = u8(bytes, at))],
  [0x442c, (changes, bytes, at) => void (changes.isDropCap = (u16(bytes, at) & 7) !== 0)],
  [0x460b, (changes, bytes, at) => void (changes.listIndex = listIndexOf(i16(bytes, at)))],
  [0x4600, (changes, bytes, at) => void (changes.styleIndex = u16(bytes, at))],
  [0x6649, (changes, bytes, at) => void (changes.depth = i32(bytes, at))],
  [0x664a, (changes, bytes, at) => void (changes.depth = (changes.depth ?? 0) + i32(bytes, at))],
  [0x840f, setIndent],
  [0x845e, setIndent],
  [0xc63e, (changes, bytes, at) => void (changes.oldNumbering = readOldNumbering(bytes, at + 1))],
]);

const noLongerListed = -0x7ff;

// Negative numbers mean the same list, with indents of the paragraph's own ([MS-DOC] 2.6.2, sprmPIlfo).
function listIndexOf(operand: number): number {
  return operand === noLongerListed ? 0 : Math.abs(operand);
}
