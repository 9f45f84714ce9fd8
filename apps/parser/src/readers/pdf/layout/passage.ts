import type { Inline } from "../../../document/document.ts";
import type { Box } from "../page-content.ts";
import { composeInlines, plainText } from "./compose-inlines.ts";
import { itemMark } from "./item-mark.ts";
import type { Line } from "./line.ts";
import type { TextBlock } from "./text-block.ts";

/** A text block with its text composed and its look summed up; what roles are found by. Geometry of letters is let go. */
export interface Passage extends Box {
  readonly kind: "text";
  readonly page: number;
  readonly inlines: readonly Inline[];
  readonly text: string;
  readonly lineCount: number;
  readonly look: Look;
  /** Bullet or number that begins it, when it stands apart from the text. */
  readonly mark?: string;
  /** Left edge of the text behind the mark. */
  readonly textLeft?: number;
  /** Set on the text of a note at the foot of its page, to which a reference with this id leads. */
  readonly noteId?: string;
  readonly taggedLevel?: number;
  /** The lines as they stand, for passages in a monospaced font. */
  readonly codeText?: string;
  /** A heading taken from the beginning of the first line of its text. */
  readonly isRunIn?: boolean;
  /** Its lines run in other directions than the page. */
  readonly isTurned?: boolean;
}

/** What most letters of a passage look like. */
export interface Look {
  readonly fontName: string;
  readonly size: number;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isMonospaced: boolean;
  readonly isCapitals: boolean;
}

export function toPassage(block: TextBlock, page: number, vocabulary: ReadonlySet<string>): Passage {
  const look = lookOf(block.lines);
  const isPlain = look.isBold || look.isItalic || look.isMonospaced;
  const inlines = composeInlines(block.lines, { vocabulary, isPlain });
  const text = plainText(inlines);
  const mark = itemMark(block.lines[0] as Line);
  const taggedLevel = taggedLevelOf(block.lines);
  return {
    kind: "text",
    page,
    inlines,
    text,
    lineCount: block.lines.length,
    look: { ...look, isCapitals: isCapitals(text) },
    left: block.left,
    top: block.top,
    right: block.right,
    bottom: block.bottom,
    ...(mark !== undefined && { mark, textLeft: textLeftOf(block) }),
    ...(taggedLevel !== undefined && { taggedLevel }),
    ...(look.isMonospaced && { codeText: codeTextOf(block) }),
  };
}

function textLeftOf({ lines: [first, second], left }: TextBlock): number {
  const isHanging = second !== undefined && second.left > left + second.size * 0.5;
  return isHanging ? second.left : (first?.words.find((word, index) => index > 0 && !word.isGlued)?.left ?? left);
}

type Style = Omit<Look, "isCapitals">;

function lookOf(lines: readonly Line[]): Style {
  const counts = new Map<string, { style: Style; count: number }>();
  const total = { all: 0, bold: 0, italic: 0, monospaced: 0 };
  let current: { style: Style; count: number } | undefined;
  for (const line of lines) {
    for (const { text, style } of line.words) {
      const letters = text.length;
      total.all += letters;
      if (style.isBold) total.bold += letters;
      if (style.isItalic) total.italic += letters;
      if (style.isMonospaced) total.monospaced += letters;
      if (current?.style.fontName !== style.fontName || current.style.size !== style.size) {
        const key = `${style.fontName} ${style.size}`;
        current = counts.get(key) ?? { style, count: 0 };
        counts.set(key, current);
      }
      current.count += letters;
    }
  }
  const [commonest] = [...counts.values()].sort((a, b) => b.count - a.count);
  const { fontName, size } = (commonest as { style: Style }).style;
  const most = total.all * 0.75;
  return {
    fontName,
    size,
    isBold: total.bold > most,
    isItalic: total.italic > most,
    isMonospaced: total.monospaced > most,
  };
}

function isCapitals(text: string): boolean {
  // Most text shows at its second letter that it is not.
  for (let at = 0; at < text.length; at++) if (isSmallLetter(text.charCodeAt(at))) return false;
  const letters = text.replace(/[^\p{L}]/gu, "");
  return letters.length > 3 && letters === letters.toUpperCase() && letters !== letters.toLowerCase();
}

function isSmallLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function taggedLevelOf(lines: readonly Line[]): number | undefined {
  const words = lines.flatMap((line) => line.words);
  const tagged = words.filter((word) => word.style.taggedLevel !== undefined);
  return tagged.length > words.length * 0.8 ? tagged[0]?.style.taggedLevel : undefined;
}

/** Lines with the columns of a monospaced font kept as spaces. */
export function codeTextOf({ lines, left }: TextBlock): string {
  const pitch = pitchOf(lines);
  return lines
    .map((line) => {
      let text = "";
      for (const [index, word] of line.words.entries()) {
        const column = Math.min(200, Math.round((word.left - left) / pitch));
        const spaces = index === 0 ? column : word.isGlued ? 0 : Math.max(1, column - text.length);
        text += " ".repeat(Math.max(0, spaces)) + word.text;
      }
      return text;
    })
    .join("\n");
}

function pitchOf(lines: readonly Line[]): number {
  const longest = lines.flatMap((line) => line.words).sort((a, b) => b.text.length - a.text.length)[0];
  return longest === undefined ? 6 : Math.max(1, (longest.right - longest.left) / longest.text.length);
}
