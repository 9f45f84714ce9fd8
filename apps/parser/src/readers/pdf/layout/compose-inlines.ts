import type { Inline } from "../../../document/document.ts";
import { inReadingOrder } from "./bidi.ts";
import type { Line } from "./line.ts";
import { textOfRaisedMark } from "./raised-marks.ts";
import type { Word } from "./word.ts";

export interface InlineSetting {
  /** Lower-case words of the document, to tell hyphens of line ends from those of compounds. */
  readonly vocabulary: ReadonlySet<string>;
  /** Leaves bold and italic out, where they are the role of the block and not a stress. */
  readonly isPlain: boolean;
}

interface Span {
  text: string;
  readonly isStrong: boolean;
  readonly isEmphasis: boolean;
  readonly script: "superscript" | "subscript" | undefined;
  readonly link: string | undefined;
}

/** Text of lines that belong together, words broken at line ends joined again. */
export function composeInlines(lines: readonly Line[], setting: InlineSetting): Inline[] {
  const spans: Span[] = [];
  for (const [index, line] of lines.entries()) {
    const words = inReadingOrder(line.words);
    const joint = index === 0 ? "" : jointBetween(textBefore(spans), firstToken(words), setting.vocabulary);
    if (joint === undefined) dropHyphen(spans);
    for (const [place, word] of words.entries()) {
      const space = place === 0 ? (joint ?? "") : word.isGlued ? "" : spaceBetween(words[place - 1] as Word, word);
      append(spans, spanOf(word, line, { ...setting, after: words[place + 1] }), space);
    }
  }
  const inlines = spans
    .flatMap(partPunctuation)
    .filter(({ text }) => text !== "")
    .map(toInline);
  return mergeStrings(inlines);
}

/** Runs of plain text that stand beside each other become one. */
export function mergeStrings(inlines: readonly Inline[]): Inline[] {
  const merged: Inline[] = [];
  for (const inline of inlines) {
    const last = merged.at(-1);
    if (typeof inline === "string" && typeof last === "string") merged[merged.length - 1] = last + inline;
    else merged.push(inline);
  }
  return merged;
}

/** Text of inlines without any marking. */
export function plainText(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) => (typeof inline === "string" ? inline : "inlines" in inline ? plainText(inline.inlines) : ""))
    .join("");
}

function spanOf(
  word: Word,
  line: Line,
  { isPlain, after }: Pick<InlineSetting, "isPlain"> & { after: Word | undefined },
) {
  const position = scriptOf(word, line);
  const mark = position === "superscript" ? textOfRaisedMark(word.text, after) : undefined;
  const script = mark === undefined ? position : undefined;
  return {
    text: mark ?? word.text,
    isStrong: !isPlain && script === undefined && word.style.isBold,
    isEmphasis: !isPlain && script === undefined && word.style.isItalic,
    script,
    link: word.link,
  };
}

/** Small letters well above the line are superscript, those below it subscript. */
export function scriptOf(word: Word, line: Line): "superscript" | "subscript" | undefined {
  if (word.style.size > line.size * 0.86) return undefined;
  const rise = (line.baseline - word.baseline) / line.size;
  if (rise > 0.17) return "superscript";
  return rise < -0.08 ? "subscript" : undefined;
}

function spaceBetween(before: Word, after: Word): string {
  return isIdeographic(before.text.at(-1)) &&
    isIdeographic(after.text[0]) &&
    after.left - before.right < before.style.size * 0.5
    ? ""
    : " ";
}

function isIdeographic(character: string | undefined): boolean {
  return (
    character !== undefined && /[\u3000-\u30FF\u3400-\u9FFF\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60]/.test(character)
  );
}

/** Quotation marks, dashes and points that Chinese shares with Latin; their neighbour tells what they belong to. */
const sharedSigns = /[\u00B7\u2014\u2018\u2019\u201C\u201D\u2026]/;

function endsIdeographic(text: string): boolean {
  let at = text.length - 1;
  while (at > 0 && sharedSigns.test(text[at] as string)) at--;
  return isIdeographic(text[at]);
}

function startsIdeographic(text: string): boolean {
  let at = 0;
  while (at < text.length - 1 && sharedSigns.test(text[at] as string)) at++;
  return isIdeographic(text[at]);
}

/**
 * What stands between a text and one that it goes on in: nothing in scripts without spaces, undefined where a hyphen at the end
 * of the first falls away, else a space.
 */
export function jointBetween(before: string, after: string, vocabulary: ReadonlySet<string>): string | undefined {
  if (endsIdeographic(before) && startsIdeographic(after)) return "";
  if (isHangul(before.at(-1)) && isHangul(after[0]) && isBrokenHangul(before, after, vocabulary)) return "";
  // Few lines end so, and the search for one tries every letter of those that do not.
  if (!before.endsWith("-")) return " ";
  return hyphenJoint(before, after, vocabulary) ?? (/\p{L}-$/u.test(before) ? undefined : " ");
}

function isHangul(character: string | undefined): boolean {
  return character !== undefined && character >= "\uAC00" && character <= "\uD7A3";
}

// Korean is broken between any two syllables, and without a sign: what the document writes in one word elsewhere is one.
function isBrokenHangul(before: string, after: string, vocabulary: ReadonlySet<string>): boolean {
  const head = /[\uAC00-\uD7A3]+$/.exec(before)?.[0] ?? "";
  const tail = /^[\uAC00-\uD7A3]+/.exec(after)?.[0] ?? "";
  return vocabulary.has(head + tail) && !(vocabulary.has(head) && vocabulary.has(tail));
}

/**
 * How a line that ends with a hyphen goes on: `""` when the hyphen stays (a compound, a range), a space when it is a dash;
 * undefined when there is nothing before the hyphen, or the hyphen only breaks a word.
 */
function hyphenJoint(before: string, after: string, vocabulary: ReadonlySet<string>): string | undefined {
  const head = /([\p{L}\p{N}]+)-$/u.exec(before)?.[1];
  if (head === undefined) return undefined;
  const tail = /^[\p{L}\p{N}]+/u.exec(after)?.[0] ?? "";
  if (!/^\p{Ll}/u.test(tail)) return /^[\p{L}\p{N}]/u.test(after) ? "" : " ";
  const [headLower, tailLower] = [head.toLowerCase(), tail.toLowerCase()];
  if (vocabulary.has(headLower + tailLower)) return undefined;
  if (vocabulary.has(`${headLower}-${tailLower}`) || /\p{N}$/u.test(head)) return "";
  return isCompound(headLower, tailLower, vocabulary) ? "" : undefined;
}

/** Parts of compounds have at least so many letters; shorter ones are syllables as often. */
const minPart = 4;

// The document has both parts as words of their own, or the first one before other hyphens (`anti-`).
function isCompound(head: string, tail: string, vocabulary: ReadonlySet<string>): boolean {
  if (head.length < minPart || tail.length < minPart) return false;
  return vocabulary.has(`${head}-`) || (vocabulary.has(head) && vocabulary.has(tail));
}

function firstToken(words: readonly Word[]): string {
  let token = "";
  for (const [index, word] of words.entries()) {
    if (index > 0 && !word.isGlued) break;
    token += word.text;
  }
  return token;
}

function textBefore(spans: readonly Span[]): string {
  return spans
    .slice(-4)
    .map(({ text }) => text)
    .join("")
    .slice(-60);
}

function dropHyphen(spans: Span[]): void {
  const last = spans.at(-1);
  if (last !== undefined) last.text = last.text.slice(0, -1);
}

function append(spans: Span[], span: Span, space: string): void {
  const last = spans.at(-1);
  if (last !== undefined && isAlike(last, span)) {
    last.text += space + span.text;
    return;
  }
  if (space !== "" && last !== undefined) {
    if (isUnmarked(span)) span.text = space + span.text;
    else if (isUnmarked(last)) last.text += space;
    else spans.push({ ...plainSpan, text: space });
  }
  spans.push(span);
}

const plainSpan = { isStrong: false, isEmphasis: false, script: undefined, link: undefined } as const;

function isUnmarked(span: Span): boolean {
  return isAlike(span, { ...plainSpan, text: "" });
}

function isAlike(a: Span, b: Span): boolean {
  return a.isStrong === b.isStrong && a.isEmphasis === b.isEmphasis && a.script === b.script && a.link === b.link;
}

// One or two letters in italics are symbols; marking each would bury the text.
function isStressed(text: string): boolean {
  return /\p{L}{3}/u.test(text);
}

// The full stop after an address is not part of the link, though it stands in the same word.
function partPunctuation(span: Span): Span[] {
  const end = span.link === undefined ? "" : (/[.,;:]+$/.exec(span.text)?.[0] ?? "");
  if (end === "" || span.link?.endsWith(end) === true) return [span];
  return [
    { ...span, text: span.text.slice(0, -end.length) },
    { ...plainSpan, text: end },
  ];
}

function toInline({ text, isStrong, isEmphasis, script, link }: Span): Inline {
  let inline: Inline = text;
  if (script !== undefined) inline = { type: script, inlines: [inline] };
  if (isEmphasis && isStressed(text)) inline = { type: "emphasis", inlines: [inline] };
  if (isStrong && isStressed(text)) inline = { type: "strong", inlines: [inline] };
  return link === undefined ? inline : { type: "link", target: link, inlines: [inline] };
}
