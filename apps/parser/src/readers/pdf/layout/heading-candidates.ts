import type { OutlineEntry } from "../page-content.ts";
import type { BodyLook } from "./body-look.ts";
import { isCaption } from "./caption.ts";
import type { Look, Passage } from "./passage.ts";

const maxLetters = 220;
const maxLines = 4;
/** Titles of documents, set in larger type, run longer. */
const maxDisplay = { letters: 320, lines: 7, ratio: 1.3 };

/** Titles that the outline of the file names, by their letters, with their levels. */
export type OutlineTitles = ReadonlyMap<string, number>;

export function outlineTitles(outline: readonly OutlineEntry[]): OutlineTitles {
  return new Map(outline.map((entry) => [titleKey(entry.title), entry.level]));
}

export function titleKey(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

/** Whether the file itself says that a passage is a heading, or it was cut off as one. */
export function isTold({ isRunIn, taggedLevel, text }: Passage, titles: OutlineTitles): boolean {
  return isRunIn === true || taggedLevel !== undefined || titles.has(titleKey(text));
}

/** Whether a passage may be a heading, by its words and its look alone. */
export function mayBeHeading(passage: Passage, body: BodyLook, titles: OutlineTitles): boolean {
  const { text, look, isRunIn } = passage;
  if (isRunIn === true) return true;
  if (!/\p{L}{2}/u.test(text) || isTooLong(passage, body) || isCaption(text) || isLabel(passage)) return false;
  if (isTold(passage, titles)) return true;
  return readsAsTitle(text) && !look.isMonospaced && standsOut(look, body);
}

function isTooLong({ text, lineCount, look }: Passage, body: BodyLook): boolean {
  if (look.size >= body.size * maxDisplay.ratio)
    return text.length > maxDisplay.letters || lineCount > maxDisplay.lines;
  return text.length > maxLetters || lineCount > maxLines;
}

// Lines of authors with their marks, and facts with their names (`Received: 1 May`), stand on title pages.
function isLabel({ text, inlines }: Passage): boolean {
  const marks = inlines.filter((inline) => typeof inline !== "string" && inline.type === "superscript").length;
  return (
    marks > 1 ||
    areNames(text) ||
    /^\W?(?:table )?continued\W?$/i.test(text) ||
    /^(?:received|revised|accepted|published|available|citation|correspond\w+|key ?words?|e-?mail|edited by|reviewed by|how to cite)[^:]{0,30}:/i.test(
      text,
    )
  );
}

// Names in a row, some with the sign of a note, or with initials behind them as in references.
function areNames(text: string): boolean {
  return (
    /[*†‡§¶∗]\s*(?:,|and\b|&)/.test(text) ||
    /(?:,.*){2}[*†‡§¶∗]$/.test(text) ||
    /\p{Lu}[\p{L}’'-]+ \p{Lu}{1,3}, \p{Lu}[\p{L}’'-]+ \p{Lu}{1,3}[,.]/u.test(text)
  );
}

// A title begins like one and does not end like a sentence, unless it is numbered.
function readsAsTitle(text: string): boolean {
  const isSentence = /[.,;]$/.test(text) && !/^\d+(?:\.\d+)*\.?\s/.test(text);
  return !isSentence && !/^[\p{Ll}(]/u.test(text) && !isDataLike(text) && !isReferenceLike(text);
}

// Addresses, dates, identifiers and formulas are mostly not words.
function isDataLike(title: string): boolean {
  const text = title.replace(/^[\d.]+\s/, "");
  const letters = text.replace(/[^\p{L}]/gu, "").length;
  return letters < text.replace(/\s/g, "").length * 0.6 || /@|https?:|www\.|doi\.org|©|\s[=¼]\s|\uFFFD/i.test(text);
}

// A number in brackets, or a year with a volume or pages behind it: an entry of a list of references.
function isReferenceLike(text: string): boolean {
  return /^\[\d{1,3}\]/.test(text) || /\b(?:19|20)\d{2}[a-z]?\s?[;:)]\s?\d/.test(text);
}

function standsOut(look: Look, body: BodyLook): boolean {
  if (look.size >= body.size * 1.08) return true;
  if (look.isBold && look.size >= body.size * 0.7) return true;
  if (look.size < body.size * 0.86) return false;
  return look.isItalic || look.isCapitals || (look.fontName !== body.fontName && look.size >= body.size * 0.92);
}
