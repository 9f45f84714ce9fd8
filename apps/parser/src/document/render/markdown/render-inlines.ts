import type { Inline } from "../../document.ts";
import { charClass, type CharClass, classOf, markupMark, mustOpen } from "./delimiter-runs.ts";
import { createLineView, escapeRange, type InlinePlace, type LineView, type TextRange } from "./escape-text.ts";
import { type InlineToken, InlineTokens } from "./inline-tokens.ts";

// What may need care in a run of text that stands alone; all other text is written as it is.
const suspicious = {
  cell: /[\\`*_~$[|\p{Cc}]|&(?=[#A-Za-z])|<(?=[A-Za-z!/?])|^ | $/u,
  heading: /[\\`*_~$[\p{Cc}]|&(?=[#A-Za-z])|<(?=[A-Za-z!/?])|^ |#$| $/u,
  paragraph: /[\\`*_~$[\p{Cc}]|&(?=[#A-Za-z])|<(?=[A-Za-z!/?])|^(?:[ #>+=:|-]|\d{1,9}[.)])| $/u,
};

/** Inlines as one line of Markdown, or several where a paragraph has line breaks. */
export function renderInlines(inlines: readonly Inline[], place: InlinePlace): string {
  const [only] = inlines;
  if (inlines.length === 1 && typeof only === "string") return renderText(only, place);
  return renderTokens(new InlineTokens(place).addAll(inlines).tokens, place);
}

/** One run of text as Markdown; fast where nothing needs care. */
export function renderText(text: string, place: InlinePlace): string {
  if (!suspicious[place.kind].test(text)) return text;
  const line = text.replaceAll(/\p{Cc}+/gu, " ").trim();
  return renderTokens([{ kind: "text", text: line, isLabel: false }], place);
}

function renderTokens(tokens: readonly InlineToken[], place: InlinePlace): string {
  const spelt = spellEmphasis(tokens);
  const view = viewOf(tokens, spelt, place);
  let at = 0;
  let output = "";
  for (const [index, token] of tokens.entries()) {
    const length = token.kind === "text" ? token.text.length : 1;
    const range = { start: at, end: at + length, isLabel: token.kind === "text" && token.isLabel };
    output += token.kind === "text" ? renderRange(view, range, spelt[index - 1] ?? "") : (spelt[index] ?? "");
    at += length;
  }
  return place.kind === "paragraph" && definitionStart.test(output) ? `\\${output}` : output;
}

// A paragraph that would be read as the definition of a link. Labels of our links cannot match.
const definitionStart = /^\[(?:[^[\]\\]|\\[^])+\]:/;

// A dollar sign before a digit would not close the formula.
function isSpeltByNumber(character: string, markupBefore: string): boolean {
  return markupBefore.endsWith("$") && /^\d$/.test(character);
}

function renderRange(view: LineView, range: TextRange, markupBefore: string): string {
  const first = view.text.charAt(range.start);
  if (!isSpeltByNumber(first, markupBefore)) return escapeRange(view, range);
  return `&#${first.charCodeAt(0)};${escapeRange(view, { ...range, start: range.start + 1 })}`;
}

function viewOf(tokens: readonly InlineToken[], spelt: readonly (string | undefined)[], place: InlinePlace): LineView {
  const text = tokens
    .map((token, index) => (token.kind === "text" ? token.text : spelt[index] === "\\\n" ? "\n" : markupMark))
    .join("");
  const markup = spelt.filter((markupText) => markupText !== undefined);
  return createLineView(text, place, {
    star: markup.some((markupText) => markupText.startsWith("*")),
    backtick: markup.some((markupText) => markupText.includes("`")),
    dollar: markup.some((markupText) => markupText.includes("$")),
    angle: markup.some((markupText) => markupText.includes(">")),
  });
}

/**
 * The spelling of every token but text. Emphasis is asterisks where CommonMark's flanking rules let them work, and HTML
 * elements where they would not (`**“a”**b`).
 */
function spellEmphasis(tokens: readonly InlineToken[]): (string | undefined)[] {
  const spelt = tokens.map((token) => (token.kind === "markup" ? token.text : undefined));
  const opened: number[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "open") opened.push(index);
    if (token.kind !== "close") continue;
    const open = opened.pop() ?? index;
    const canUseMark = marksWork(tokens, spelt, { open, close: index });
    const tag = token.mark === "*" ? "em" : "strong";
    spelt[open] = canUseMark ? token.mark : `<${tag}>`;
    spelt[index] = canUseMark ? token.mark : `</${tag}>`;
  }
  return spelt;
}

interface Pair {
  readonly open: number;
  readonly close: number;
}

function marksWork(tokens: readonly InlineToken[], spelt: readonly (string | undefined)[], pair: Pair): boolean {
  const { open, close } = pair;
  if (tokens[open - 1]?.kind === "close" || close === open + 1) return false;
  const classAt = (from: number, step: 1 | -1): CharClass => neighbourClass(tokens, spelt, { from, step });
  return (
    mustOpen(classAt(open - 1, -1), strictly(classAt(open + 1, 1))) &&
    mustOpen(classAt(close + 1, 1), strictly(classAt(close - 1, -1)))
  );
}

// What implementations disagree on counts as punctuation inside, where that is the stricter reading.
function strictly(inner: CharClass): CharClass {
  return inner === charClass.unknown ? charClass.punctuation : inner;
}

interface Search {
  readonly from: number;
  readonly step: 1 | -1;
}

function neighbourClass(
  tokens: readonly InlineToken[],
  spelt: readonly (string | undefined)[],
  { from, step }: Search,
): CharClass {
  for (let at = from; ; at += step) {
    const token = tokens[at];
    if (token === undefined) return charClass.space;
    const text = token.kind === "text" ? token.text : (spelt[at] ?? "");
    const isDelimiter = token.kind !== "text" && /^\**$/.test(text);
    if (isDelimiter) continue;
    if (step === 1) return classOf(text.charAt(0));
    return classOf(isSpeltByNumber(text, spelt[at - 1] ?? "") ? ";" : text.charAt(text.length - 1));
  }
}
