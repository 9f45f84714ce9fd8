import { hasEqualRuns, markupMark, mayEncloseFormula, mayPair, runMayDelimit } from "./delimiter-runs.ts";
import { lineStartEscape } from "./line-start.ts";

/** Where inlines stand, which decides what their text could be mistaken for. */
export interface InlinePlace {
  readonly kind: "paragraph" | "heading" | "cell";
  /** Right after the marker of a list item, where `[ ]` would be a check box. */
  readonly startsItem?: boolean;
}

/** The inlines of one block as text: `markupMark` for markup, a newline for a line break. */
export interface LineView {
  readonly text: string;
  readonly place: InlinePlace;
  /** Which characters could pair up and so need a backslash where they could open or close. */
  readonly ambiguous: ReadonlySet<string>;
  readonly hasAngleEnd: boolean;
}

/** What markup of ours stands among the text. */
export interface MarkupPresence {
  readonly star: boolean;
  readonly backtick: boolean;
  readonly dollar: boolean;
  readonly angle: boolean;
}

export function createLineView(text: string, place: InlinePlace, markup: MarkupPresence): LineView {
  const isAmbiguous: Readonly<Record<string, () => boolean>> = {
    "*": () => markup.star || mayPair(text, "*"),
    _: () => mayPair(text, "_"),
    "~": () => mayPair(text, "~"),
    "`": () => markup.backtick || hasEqualRuns(text, "`"),
    $: () => markup.dollar || mayEncloseFormula(text),
  };
  const ambiguous = new Set(Object.keys(isAmbiguous).filter((char) => text.includes(char) && isAmbiguous[char]?.()));
  return { text, place, ambiguous, hasAngleEnd: markup.angle || text.includes(">") };
}

/** A stretch of the view that is text of the document. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
  /** Inside the brackets of a link or image, where brackets must not end it. */
  readonly isLabel: boolean;
}

/** The text of the range with a backslash wherever it would otherwise be read as markup, and nowhere else. */
export function escapeRange(view: LineView, range: TextRange): string {
  const forced = lineStartEscape(view, range);
  if (forced === undefined) return escapeStretch(view, range);
  const head = escapeStretch(view, { ...range, end: forced.start });
  const tail = escapeStretch(view, { ...range, start: forced.end });
  const run = view.text.slice(forced.start, forced.end);
  return head + (forced.isWhole ? run.replaceAll(/./gs, "\\$&") : `\\${run}`) + tail;
}

const special = /\\|`+|\*+|_+|~+|\$+|[[\]<&!|]/g;

function escapeStretch(view: LineView, { start, end, isLabel }: TextRange): string {
  if (start >= end) return "";
  const stretch = view.text.slice(start, end);
  return stretch.replace(special, (run: string, offset: number) => {
    const at = start + offset;
    return needsEscape(view, { start: at, end: at + run.length, isLabel }) ? run.replaceAll(/./gs, "\\$&") : run;
  });
}

function needsEscape(view: LineView, range: TextRange): boolean {
  const char = view.text.charAt(range.start);
  switch (char) {
    case "\\":
      return /^[!-/:-@[-`{-~\n\uffff]?$/.test(view.text.charAt(range.end));
    case "*":
    case "_":
    case "~":
      return view.ambiguous.has(char) && runMayDelimit(view.text, range, char);
    case "`":
    case "$":
      return view.ambiguous.has(char);
    default:
      return bracketNeedsEscape(view, range, char);
  }
}

const entity = /&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);/y;

function bracketNeedsEscape({ text, place, hasAngleEnd }: LineView, range: TextRange, char: string): boolean {
  const next = text.charAt(range.end);
  switch (char) {
    case "[":
      return range.isLabel || next === "^";
    case "]":
      return range.isLabel || (next === "(" && text.indexOf("[") < range.start);
    case "!":
      return next === markupMark || next === "[";
    case "<":
      return hasAngleEnd && /^[A-Za-z/!?\uffff]$/.test(next);
    case "&":
      entity.lastIndex = range.start;
      return entity.test(text);
    default:
      return place.kind === "cell"; // a vertical line, which would end the cell
  }
}
