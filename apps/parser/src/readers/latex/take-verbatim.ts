/** Text that LaTeX does not interpret, taken out of the source. */
export interface Verbatim {
  readonly text: string;
  readonly language: string | undefined;
  readonly isInline: boolean;
}

export interface CleanSource {
  /** Without comments; each piece of verbatim text is the macro `\verbatimpiece{N}`. */
  readonly text: string;
  readonly pieces: readonly Verbatim[];
}

const special =
  /\\begin\{(verbatim\*?|Verbatim|BVerbatim|lstlisting|minted|alltt|comment|filecontents\*?|tikzpicture|pgfpicture)\}|\\(?:verb\*?|lstinline)(?![A-Za-z])|\\[^A-Za-z]|%/g;

/** Takes comments and verbatim text out, since neither keeps to the rules of braces. Linear. */
export function takeVerbatim(source: string): CleanSource {
  const pieces: Verbatim[] = [];
  const parts: string[] = [];
  let from = 0;
  special.lastIndex = 0;
  let match = special.exec(source);
  while (match !== null) {
    const taken = takeAt(source, match);
    if (taken !== undefined) {
      parts.push(source.slice(from, match.index));
      if (taken.piece !== undefined) parts.push(`\\verbatimpiece{${pieces.push(taken.piece) - 1}}`);
      from = taken.end;
      special.lastIndex = taken.end;
    }
    match = special.exec(source);
  }
  return { text: parts.join("") + source.slice(from), pieces };
}

interface TakenPiece {
  readonly piece: Verbatim | undefined;
  readonly end: number;
}

function takeAt(source: string, match: RegExpExecArray): TakenPiece | undefined {
  const [whole, environment] = match;
  const from = match.index + whole.length;
  if (whole === "%") return { piece: undefined, end: commentEnd(source, from) };
  if (environment !== undefined) return takeEnvironment(source, from, environment);
  return /^\\[vl]/.test(whole) ? takeInline(source, from) : undefined;
}

// A comment takes its line end and the indent of the next line with it, but not a blank line after it.
function commentEnd(source: string, from: number): number {
  const newline = source.indexOf("\n", from);
  if (newline === -1) return source.length;
  const next = /\n[ \t]{0,200}/y;
  next.lastIndex = newline;
  const end = newline + (next.exec(source)?.[0].length ?? 1);
  return source[end] === "\n" ? newline : end;
}

const drawings = new Set(["tikzpicture", "pgfpicture"]);

function takeEnvironment(source: string, from: number, name: string): TakenPiece {
  const close = `\\end{${name}}`;
  const found = source.indexOf(close, from);
  const contentEnd = found === -1 ? source.length : found;
  const end = found === -1 ? source.length : found + close.length;
  if (name === "comment" || name.startsWith("filecontents")) return { piece: undefined, end };
  if (drawings.has(name)) return { piece: { text: "", language: "tikz", isInline: false }, end };
  const { start, language } = readOptions(source.slice(from, Math.min(contentEnd, from + maxOptionsLength)));
  const text = source
    .slice(from + start, contentEnd)
    .replace(/^[ \t]*\n/, "")
    .replace(/\n[ \t]*$/, "");
  return { piece: { text, language, isInline: false }, end };
}

const maxOptionsLength = 2000;

// `[language=Python]` of lstlisting, `[opts]{python}` of minted.
function readOptions(head: string): { readonly start: number; readonly language: string | undefined } {
  const match = /^(?:\[([^\]]{0,1500})\])?(?:\{([\w+#-]{1,40})\})?/.exec(head);
  const named = /language=\{?(?:\[[^\]]{0,60}\])?([\w+#]{1,40})/.exec(match?.[1] ?? "")?.[1];
  return { start: match?.[0].length ?? 0, language: (match?.[2] ?? named)?.toLowerCase() };
}

function takeInline(source: string, from: number): TakenPiece | undefined {
  const options = /\[[^\]\n]{0,500}\]/y;
  options.lastIndex = from;
  const at = from + (options.exec(source)?.[0].length ?? 0);
  const sign = source[at];
  if (sign === undefined || /[\s*A-Za-z]/.test(sign)) return undefined;
  const line = source.slice(at + 1, at + 1 + maxOptionsLength).split("\n", 1)[0] ?? "";
  const length = line.indexOf(sign === "{" ? "}" : sign);
  if (length === -1) return undefined;
  return { piece: { text: line.slice(0, length), language: undefined, isInline: true }, end: at + length + 2 };
}
