/** Stands in a line's view for markup of ours: its neighbours cannot be known from text alone. */
export const markupMark = "\uffff"; // no character of any text

export const charClass = { space: 0, punctuation: 1, word: 2, unknown: 3 } as const;
export type CharClass = (typeof charClass)[keyof typeof charClass];

/**
 * Class of a character as CommonMark's flanking rules see it; the empty string is the edge of a line.
 * Implementations disagree on symbols outside ASCII, characters beyond the first plane and other delimiters, so those are
 * `unknown`.
 */
export function classOf(char: string): CharClass {
  if (char === "" || /\s/.test(char)) return charClass.space;
  if (/[!-)+-/:-@[-^`{-}]/.test(char)) return charClass.punctuation;
  if (char === markupMark || char === "*" || char === "_" || char === "~" || /[\p{S}\ud800-\udfff]/u.test(char))
    return charClass.unknown;
  return /\p{P}/u.test(char) ? charClass.punctuation : charClass.word;
}

/** Whether some reading of the rules lets a run between these classes be left-flanking. */
export function mayOpen(before: CharClass, after: CharClass): boolean {
  if (after === charClass.space) return false;
  return after !== charClass.punctuation || before !== charClass.word;
}

/** Whether every reading of the rules makes a run between these classes left-flanking. */
export function mustOpen(before: CharClass, after: CharClass): boolean {
  if (after === charClass.space) return false;
  return after === charClass.word || before === charClass.space || before === charClass.punctuation;
}

/**
 * Whether runs of `char` in the view could be read as a pair of delimiters: one that may open before one that may close.
 * `view` is the text of a whole block of inlines with `markupMark` in place of markup.
 */
export function mayPair(view: string, char: "*" | "_" | "~"): boolean {
  let hasOpener = false;
  for (const run of runsOf(view, char)) {
    if (hasOpener && runMayClose(view, run, char)) return true;
    hasOpener ||= runMayOpen(view, run, char);
  }
  return false;
}

/** Whether two runs of the same length stand in the view, as code spans need. */
export function hasEqualRuns(view: string, char: "`"): boolean {
  const lengths = new Set<number>();
  for (const { start, end } of runsOf(view, char)) {
    if (lengths.has(end - start)) return true;
    lengths.add(end - start);
  }
  return false;
}

/**
 * Whether dollar signs in the view could enclose a formula: runs of equal length; a single one opens only before a
 * non-space and closes only after a non-space and not before a digit (Pandoc's `tex_math_dollars`).
 */
export function mayEncloseFormula(view: string): boolean {
  const opened = new Set<number>();
  for (const { start, end } of runsOf(view, "$")) {
    const length = end - start;
    if (opened.has(length) && (length > 1 || dollarMayClose(view, start))) return true;
    if (length > 1 || dollarMayOpen(view, start)) opened.add(length);
  }
  return false;
}

export function dollarMayOpen(view: string, at: number): boolean {
  return classAfter(view, at + 1) !== charClass.space;
}

export function dollarMayClose(view: string, at: number): boolean {
  return classOf(view.charAt(at - 1)) !== charClass.space && !/\d/.test(view.charAt(at + 1));
}

interface Run {
  readonly start: number;
  readonly end: number;
}

/** Whether a run of `char` at this place could open or close anything. */
export function runMayDelimit(view: string, run: Run, char: "*" | "_" | "~"): boolean {
  return runMayOpen(view, run, char) || runMayClose(view, run, char);
}

function* runsOf(view: string, char: string): Generator<Run> {
  let start = view.indexOf(char);
  while (start !== -1) {
    let end = start + 1;
    while (view.charAt(end) === char) end++;
    yield { start, end };
    start = view.indexOf(char, end);
  }
}

function runMayOpen(view: string, { start, end }: Run, char: string): boolean {
  const before = classOf(view.charAt(start - 1));
  return mayOpen(before, classAfter(view, end)) && (char !== "_" || before !== charClass.word);
}

function runMayClose(view: string, { start, end }: Run, char: string): boolean {
  const after = classAfter(view, end);
  return mayOpen(after, classOf(view.charAt(start - 1))) && (char !== "_" || after !== charClass.word);
}

// A line break begins with the backslash that makes it.
function classAfter(view: string, at: number): CharClass {
  const char = view.charAt(at);
  return char === "\n" ? charClass.punctuation : classOf(char);
}
