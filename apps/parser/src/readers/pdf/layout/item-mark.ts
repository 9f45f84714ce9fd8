import type { Line } from "./line.ts";
import type { Word } from "./word.ts";

/** Signs that do nothing at the beginning of a line but mark an item, with the pictures that symbol fonts have for them. */
const pureBullets = "•●○◦▪▫■□‣►▶▸▹➢➤➔❖◆◇✓✔✗✘☐☑☒⁃⦁◾◽★☆\\uF0B7\\uF0A7\\uF0D8\\uF076\\uF0FC\\uF0A8\\uF06F\\uF06E\\uF0E8";
const gluedBullet = new RegExp(`^[${pureBullets}]`);
/** Signs that mark items too, when they stand alone before a space. */
const bullet = new RegExp(`^(?:[${pureBullets}∙·\\u2013\\u2014-]|[\\uFFFD\\uE000-\\uF8FF]{1,2})$`);
const dash = /^[\u2013\u2014-]$/;
const ordinal = /^(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxlc]{1,6}|[IVXLC]{1,6})[.)]|\[\d{1,3}\])$/;
/** Fonts whose letters are pictures. */
const pictureFont = /wingdings|webdings|dingbats|marlett/i;
const symbolFont = /symbol/i;

/** The bullet or number that begins a line as the mark of an item of a list. */
export function itemMark({ words }: Line): string | undefined {
  const next = words.findIndex((word, index) => index > 0 && !word.isGlued);
  const first = words[0];
  if (first === undefined) return undefined;
  if (next > 0 && next <= 3) {
    const token = tokenOf(words.slice(0, next));
    if (isMark(token) || isPicture(token, first, words[next] as Word)) return token;
  }
  // Without a space: only what can be nothing else.
  return gluedBullet.test(first.text) && tokenOf(words).length > 1 ? first.text[0] : undefined;
}

/** Whether a line is nothing but the mark of an item, whose text stands at a tab behind it. */
export function isLoneMark({ words }: Line): boolean {
  const token = tokenOf(words);
  return (
    words.length <= 3 && (isMark(token) || (token.length === 1 && pictureFont.test(words[0]?.style.fontName ?? "")))
  );
}

/** Whether a word is nothing but a sign that does nothing else than mark items. */
export function isLoneBullet({ text }: Pick<Word, "text">): boolean {
  return text.length === 1 && gluedBullet.test(text);
}

/** Whether a mark is a dash or the like, which may also be one in text. */
export function isDash(mark: string): boolean {
  return dash.test(mark);
}

function tokenOf(words: readonly Word[]): string {
  return words.map(({ text }) => text).join("");
}

function isMark(token: string): boolean {
  return bullet.test(token) || ordinal.test(token);
}

/** Behind an `o` that is a bullet stands more room, in ems, than between words. */
const bulletGap = 0.7;

// Word draws bullets as letters of a picture font, and hollow ones as an `o` of Courier.
function isPicture(token: string, first: Word, next: Word): boolean {
  if (token.length !== 1) return false;
  if (token === "o" && next.left - first.right > first.style.size * bulletGap) return true;
  if (first.style.fontName === next.style.fontName) return false;
  const { fontName } = first.style;
  if (pictureFont.test(fontName)) return true;
  if (first.style.tag?.isItem === true && !/[\p{Lu}\p{N}]/u.test(token)) return true;
  return (token === "o" && /courier/i.test(fontName)) || (symbolFont.test(fontName) && /^[^\p{L}\p{N}]$/u.test(token));
}

/** What a mark says: its kind (`-` for bullets, else what stands about the number) and the numbers it may stand for. */
export interface MarkSense {
  readonly kind: string;
  readonly numbers: readonly number[];
}

export function senseOf(mark: string): MarkSense {
  if (!ordinal.test(mark)) return { kind: /[☐☑☒]/.test(mark) ? "☐" : mark, numbers: [] };
  const body = mark.replaceAll(/[^\da-z]/gi, "");
  const kind = mark.replace(body, "#");
  if (/^\d+$/.test(body)) return { kind: `1${kind}`, numbers: [Number(body)] };
  const lower = body.toLowerCase();
  const letter = lower.length === 1 ? [lower.charCodeAt(0) - 96] : [];
  return { kind: `${body === lower ? "a" : "A"}${kind}`, numbers: [...letter, ...romanOf(lower)] };
}

/** Whether a mark goes on with another one in the same list: the same bullet, or the next number. */
export function follows(mark: string, next: string): boolean {
  const [a, b] = [senseOf(mark), senseOf(next)];
  if (a.kind !== b.kind) return false;
  return a.numbers.length === 0 || a.numbers.some((number) => b.numbers.includes(number + 1));
}

/** Number of a mark of digits; undefined for bullets, letters and Roman numerals. */
export function decimalOf(mark: string): number | undefined {
  const { kind, numbers } = senseOf(mark);
  return kind.startsWith("1") ? numbers[0] : undefined;
}

/** Whether a mark may be the first of a list; capital letters are rather initials of a name. */
export function isFirstMark(mark: string): boolean {
  const { kind, numbers } = senseOf(mark);
  return numbers.length === 0 || (numbers.includes(1) && !kind.startsWith("A"));
}

const romanDigits: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

function romanOf(text: string): number[] {
  if (!/^c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/.test(text)) return [];
  let sum = 0;
  for (let at = 0; at < text.length; at++) {
    const value = romanDigits[text[at] as string] ?? 0;
    sum += value < (romanDigits[text[at + 1] ?? ""] ?? 0) ? -value : value;
  }
  return [sum];
}
