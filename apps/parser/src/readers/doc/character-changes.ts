import { u16, u32, u8 } from "./bytes.ts";
import { walkSprms } from "./sprm.ts";

/** A property that a run may also have as, or other than, its styles have it ([MS-DOC] 2.9.327). */
export type Toggle = boolean | "asStyle" | "otherThanStyle";

/** What groups of changes say about characters, as far as it concerns text ([MS-DOC] 2.6.1). */
export interface CharacterChanges {
  styleIndex?: number;
  isBold?: Toggle;
  isItalic?: Toggle;
  isHidden?: Toggle;
  isWebHidden?: boolean;
  isDeleted?: boolean;
  script?: "superscript" | "subscript" | "baseline";
  /** The character is no text but a mark: a picture, a reference, a field. */
  isSpecial?: boolean;
  /** A picture's place holds the state of a control instead. */
  isData?: boolean;
  /** Where its picture, or the state of its control, stands. */
  picturePlace?: number;
  symbol?: { readonly fontIndex: number; readonly code: number };
  fontIndex?: number;
  /** Font of characters that are neither ASCII nor East Asian. */
  otherFontIndex?: number;
}

/** Adds what a group says to what groups before it said. */
export function applyCharacterGroup(changes: CharacterChanges, group: Buffer, isWord6: boolean): void {
  walkSprms(group, isWord6, (code, bytes, at) => {
    if (code === symbolCode) changes.symbol = readSymbol(bytes, at, isWord6);
    else appliers.get(code)?.(changes, bytes, at);
  });
}

const symbolCode = 0x6a09;

function readSymbol(bytes: Buffer, at: number, isWord6: boolean): NonNullable<CharacterChanges["symbol"]> {
  return { fontIndex: u16(bytes, at), code: isWord6 ? u8(bytes, at + 2) : u16(bytes, at + 2) };
}

type Apply = (changes: CharacterChanges, bytes: Buffer, at: number) => void;

const scripts = ["baseline", "superscript", "subscript"] as const;

const appliers: ReadonlyMap<number, Apply> = new Map<number, Apply>([
  [0x0800, (changes, bytes, at) => void (changes.isDeleted = isOn(u8(bytes, at)))],
  [0x0806, (changes, bytes, at) => void (changes.isData = isOn(u8(bytes, at)))],
  [0x0811, (changes, bytes, at) => void (changes.isWebHidden = isOn(u8(bytes, at)))],
  [0x0835, (changes, bytes, at) => void (changes.isBold = toggleOf(u8(bytes, at)))],
  [0x0836, (changes, bytes, at) => void (changes.isItalic = toggleOf(u8(bytes, at)))],
  [0x083c, (changes, bytes, at) => void (changes.isHidden = toggleOf(u8(bytes, at)))],
  [0x0855, (changes, bytes, at) => void (changes.isSpecial = isOn(u8(bytes, at)))],
  [0x2a33, clearDirect],
  [0x2a48, (changes, bytes, at) => void (changes.script = scripts[u8(bytes, at)] ?? "baseline")],
  [0x4a30, (changes, bytes, at) => void (changes.styleIndex = u16(bytes, at))],
  [0x4a4f, (changes, bytes, at) => void (changes.fontIndex = u16(bytes, at))],
  [0x4a51, (changes, bytes, at) => void (changes.otherFontIndex = u16(bytes, at))],
  [0x6a03, (changes, bytes, at) => void (changes.picturePlace = u32(bytes, at))],
]);

// Everything but being a mark is again as the style has it.
function clearDirect(changes: CharacterChanges): void {
  const { isSpecial, isData, picturePlace, symbol, isDeleted } = changes;
  for (const key of Object.keys(changes)) delete changes[key as keyof CharacterChanges];
  Object.assign(changes, { isSpecial, isData, picturePlace, symbol, isDeleted });
}

// Marks are never part of a style, so that what is other than in the style is on.
function isOn(operand: number): boolean {
  return operand === 1 || operand === 0x81;
}

function toggleOf(operand: number): Toggle {
  if (operand === 0x80) return "asStyle";
  return operand === 0x81 ? "otherThanStyle" : operand !== 0;
}

export function resolveToggle(toggle: Toggle | undefined, style: boolean): boolean {
  if (toggle === undefined || toggle === "asStyle") return style;
  return toggle === "otherThanStyle" ? !style : toggle;
}
