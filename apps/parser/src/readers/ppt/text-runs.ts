import { shortAt } from "./records.ts";

/** How many characters of a text a look holds for. */
export interface ParagraphRun {
  readonly count: number;
  /** From 0. */
  readonly level: number;
  /** Undefined where the master decides. */
  readonly hasBullet: boolean | undefined;
}

export interface CharacterRun {
  readonly count: number;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  /** Above the line when positive, below when negative. */
  readonly position: number;
  /** Places in the collection of fonts. */
  readonly font: number | undefined;
  readonly symbolFont: number | undefined;
  /** Which of the styles of PowerPoint 2000 and later the paragraph has ([MS-PPT] 2.9.14, `pp9rt`). */
  readonly style9: number;
}

export interface TextRuns {
  readonly paragraphs: readonly ParagraphRun[];
  readonly characters: readonly CharacterRun[];
}

/** The looks of a text of this many characters (`StyleTextPropAtom`, [MS-PPT] 2.9.44); what is damaged is left out. */
export function readTextRuns(atom: Buffer, textLength: number): TextRuns {
  const reader = new LookReader(atom);
  const paragraphs: ParagraphRun[] = [];
  const characters: CharacterRun[] = [];
  // The runs cover one character more than the text has.
  for (let covered = 0; covered <= textLength && reader.hasMore;) {
    const count = reader.number();
    const level = reader.short();
    paragraphs.push({ count, level, hasBullet: reader.paragraphLook() });
    covered += count;
  }
  for (let covered = 0; covered <= textLength && reader.hasMore;) {
    const count = reader.number();
    characters.push({ count, ...reader.characterLook() });
    covered += count;
  }
  return { paragraphs, characters };
}

/** Whether paragraphs have bullets, by level, in the styles of a master (`TextMasterStyleAtom`, [MS-PPT] 2.9.36). */
export function readMasterBullets(atom: Buffer, textType: number): (boolean | undefined)[] {
  const reader = new LookReader(atom);
  const levelCount = Math.min(reader.short(), maxLevels);
  const bullets: (boolean | undefined)[] = [];
  for (let index = 0; index < levelCount && reader.hasMore; index++) {
    const level = textType >= firstDerivedType ? reader.short() : index;
    const hasBullet = reader.paragraphLook();
    reader.characterLook();
    // A level that says nothing is like the one above it.
    if (level < maxLevels) bullets[level] = hasBullet ?? bullets[level - 1];
  }
  return bullets;
}

const maxLevels = 9;
/** Types from here on name the level that each of their styles is for. */
const firstDerivedType = 5;

/** Fields of a paragraph's look after its bullet, with the bits that say they are there, in the order of the file. */
const paragraphFields: readonly (readonly [mask: number, bytes: number])[] = [
  [1 << 7, 2], // character of the bullet
  [1 << 4, 2], // its font
  [1 << 6, 2], // its size
  [1 << 5, 4], // its colour
  [1 << 11, 2], // alignment
  [1 << 12, 2], // space between lines
  [1 << 13, 2], // space before
  [1 << 14, 2], // space after
  [1 << 8, 2], // left margin
  [1 << 10, 2], // indent
  [1 << 15, 2], // default tab
];
const tabStops = 1 << 20;
const lateParagraphFields: readonly (readonly [mask: number, bytes: number])[] = [
  [1 << 16, 2], // alignment of fonts
  [0b111 << 17, 2], // wrapping
  [1 << 21, 2], // direction
];
const bulletFlags = 0b1111;

const characterMasks = {
  // Bold to emboss, and the four bits of the style of later versions.
  style: 0x3fff,
  font: 1 << 16,
  size: 1 << 17,
  colour: 1 << 18,
  position: 1 << 19,
  oldAsianFont: 1 << 21,
  latinFont: 1 << 22,
  symbolFont: 1 << 23,
} as const;

/** Reads looks one after the other; past the end there are zeros. */
class LookReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get hasMore(): boolean {
    return this.#at + 4 <= this.#bytes.length;
  }

  short(): number {
    const value = shortAt(this.#bytes, this.#at) ?? 0;
    this.#at += 2;
    return value;
  }

  number(): number {
    const low = this.short();
    return low + this.short() * 0x1_0000;
  }

  /** `TextPFException` ([MS-PPT] 2.9.20): whether it has a bullet, undefined when it does not say. */
  paragraphLook(): boolean | undefined {
    const masks = this.number();
    const flags = (masks & bulletFlags) === 0 ? 0 : this.short();
    this.#skip(paragraphFields, masks);
    const tabCount = (masks & tabStops) === 0 ? 0 : this.short();
    this.#at += 4 * tabCount;
    this.#skip(lateParagraphFields, masks);
    return (masks & 1) === 0 ? undefined : (flags & 1) !== 0;
  }

  /** `TextCFException` ([MS-PPT] 2.9.13). */
  characterLook(): Omit<CharacterRun, "count"> {
    const masks = this.number();
    const optional = (mask: number): number | undefined => ((masks & mask) === 0 ? undefined : this.short());
    const style = optional(characterMasks.style) ?? 0;
    const font = optional(characterMasks.font);
    optional(characterMasks.oldAsianFont);
    const latinFont = optional(characterMasks.latinFont);
    const symbolFont = optional(characterMasks.symbolFont);
    optional(characterMasks.size);
    if ((masks & characterMasks.colour) !== 0) this.#at += 4;
    const position = optional(characterMasks.position) ?? 0;
    return {
      isBold: (style & 1) !== 0,
      isItalic: (style & 2) !== 0,
      position: position >= 0x8000 ? position - 0x1_0000 : position,
      font: font ?? latinFont,
      symbolFont,
      style9: (style >> 10) & 15,
    };
  }

  #skip(fields: readonly (readonly [mask: number, bytes: number])[], masks: number): void {
    for (const [mask, bytes] of fields) if ((masks & mask) !== 0) this.#at += bytes;
  }
}
