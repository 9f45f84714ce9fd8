import type { Inline } from "../../../document/document.ts";
import type { Line } from "./line.ts";
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
    const joint = index === 0 ? "" : jointOf(textBefore(spans), line, setting.vocabulary);
    if (joint === undefined) dropHyphen(spans);
    for (const [place, word] of line.words.entries()) {
      const space = place === 0 ? (joint ?? "") : word.isGlued ? "" : spaceBetween(line.words[place - 1] as Word, word);
      append(spans, spanOf(word, line, setting.isPlain), space);
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

function spanOf(word: Word, line: Line, isPlain: boolean): Span {
  const script = scriptOf(word, line);
  return {
    text: word.text,
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
  return character !== undefined && /[\u3000-\u30FF\u3400-\u9FFF\uF900-\uFAFF\uFF00-\uFF60]/.test(character);
}

// What stands between two lines: nothing in scripts without spaces, undefined where a hyphen falls away, else a space.
function jointOf(before: string, line: Line, vocabulary: ReadonlySet<string>): string | undefined {
  const after = firstToken(line);
  if (isIdeographic(before.at(-1)) && isIdeographic(after[0])) return "";
  return hyphenJoint(before, after, vocabulary) ?? (/\p{L}-$/u.test(before) ? undefined : " ");
}

/**
 * How a line that ends with a hyphen goes on: `""` when the hyphen stays (a compound, a range), a space when it is a dash;
 * undefined when there is no hyphen, or the hyphen only breaks a word.
 */
function hyphenJoint(before: string, after: string, vocabulary: ReadonlySet<string>): string | undefined {
  const head = /([\p{L}\p{N}]+)-$/u.exec(before)?.[1];
  if (head === undefined) return undefined;
  const tail = /^[\p{L}\p{N}]+/u.exec(after)?.[0] ?? "";
  if (!/^\p{Ll}/u.test(tail)) return /^[\p{L}\p{N}]/u.test(after) ? "" : " ";
  const [headLower, tailLower] = [head.toLowerCase(), tail.toLowerCase()];
  if (vocabulary.has(headLower + tailLower)) return undefined;
  return vocabulary.has(`${headLower}-${tailLower}`) || /\p{N}$/u.test(head) ? "" : undefined;
}

function firstToken(line: Line): string {
  let token = "";
  for (const [index, word] of line.words.entries()) {
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
