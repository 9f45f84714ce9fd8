/** A kind of inline markup: the characters it may begin with, and how it is read. */
export interface InlineRule<TNode> {
  readonly starts: string;
  /** The markup at a position, or undefined when the character there is only itself. */
  match(text: string, at: number): InlineMatch<TNode> | undefined;
}

export interface InlineMatch<TNode> {
  /** After the last character of the markup; beyond `at`. */
  readonly end: number;
  readonly nodes: readonly TNode[];
}

/** Splits text into plain runs and what the rules make of the markup between them. Each rule must look ahead only so far. */
export function scanInlines<TNode>(text: string, rules: readonly InlineRule<TNode>[]): (TNode | string)[] {
  const byStart = new Map<string, InlineRule<TNode>[]>();
  for (const rule of rules) {
    for (const start of rule.starts) byStart.set(start, [...(byStart.get(start) ?? []), rule]);
  }
  const result: (TNode | string)[] = [];
  let plainFrom = 0;
  let at = 0;
  while (at < text.length) {
    const match = matchAt(text, at, byStart.get(text[at] as string));
    if (match === undefined) {
      at++;
      continue;
    }
    if (at > plainFrom) result.push(text.slice(plainFrom, at));
    for (const node of match.nodes) result.push(node);
    at = match.end;
    plainFrom = at;
  }
  if (plainFrom < text.length) result.push(text.slice(plainFrom));
  return result;
}

function matchAt<TNode>(
  text: string,
  at: number,
  rules: readonly InlineRule<TNode>[] | undefined,
): InlineMatch<TNode> | undefined {
  for (const rule of rules ?? []) {
    const match = rule.match(text, at);
    if (match !== undefined && match.end > at) return match;
  }
  return undefined;
}

/** Longest text between two delimiters that is looked for, in UTF-16 units. */
const maxSpanLength = 1000;

/** The text between a delimiter at `at` and the next one, and where that ends; undefined when there is none near. */
export function spanBetween(
  text: string,
  at: number,
  { open, close }: { readonly open: string; readonly close: string },
): { readonly inner: string; readonly end: number } | undefined {
  if (!text.startsWith(open, at)) return undefined;
  const from = at + open.length;
  const found = text.slice(from, from + maxSpanLength).indexOf(close);
  return found < 0 ? undefined : { inner: text.slice(from, from + found), end: from + found + close.length };
}

/** Runs a sticky pattern at a position; its repetitions must be bounded. */
export function matchPattern(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
