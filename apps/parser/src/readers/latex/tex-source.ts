import type { Verbatim } from "./take-verbatim.ts";

export interface Environment {
  readonly name: string;
  /** After `\begin{name}`. */
  readonly from: number;
  /** Where `\end{name}` begins. */
  readonly to: number;
  readonly end: number;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

const maxOpenEnvironments = 200;

/** Source text with its braces and environments matched beforehand, in one pass, so that nothing is searched twice. */
export class TexSource {
  readonly text: string;
  readonly pieces: readonly Verbatim[];
  readonly #closing = new Map<number, number>();
  readonly #environments = new Map<number, Environment>();

  constructor(text: string, pieces: readonly Verbatim[]) {
    this.text = text;
    this.pieces = pieces;
    const braces: number[] = [];
    const open: { name: string; at: number; from: number }[] = [];
    for (const match of text.matchAll(/\\(begin|end)\s?\{([A-Za-z@]{1,40}\*?)\}|\\[^A-Za-z]|[{}]/g)) {
      const [whole, kind, name = ""] = match;
      const at = match.index;
      if (kind === "begin") open.push({ name, at, from: at + whole.length });
      else if (kind === "end") this.#close(open, { name, to: at, end: at + whole.length });
      if (open.length > maxOpenEnvironments) open.shift();
      if (whole === "{") braces.push(at);
      else if (whole === "}") this.#closeBrace(braces, at);
      if (kind !== undefined) this.#closing.set(text.indexOf("{", at), at + whole.length - 1);
    }
  }

  #closeBrace(braces: number[], at: number): void {
    const opened = braces.pop();
    if (opened !== undefined) this.#closing.set(opened, at);
  }

  // An end closes the innermost environment of its name, and with it those that lack their own end.
  #close(
    open: { name: string; at: number; from: number }[],
    { name, to, end }: { name: string; to: number; end: number },
  ): void {
    const index = open.findLastIndex((entry) => entry.name === name);
    if (index === -1) return;
    const { at, from } = open[index] as { at: number; from: number };
    open.length = index;
    this.#environments.set(at, { name, from, to, end });
  }

  environmentAt(at: number): Environment | undefined {
    return this.#environments.get(at);
  }

  /** What stands between the brace at a position and its partner; undefined when it has none. */
  groupAt(at: number): Range | undefined {
    const to = this.#closing.get(at);
    return to === undefined ? undefined : { from: at + 1, to };
  }

  /** The argument at a position, past spaces: a group, or a single character or macro. */
  argumentAt(at: number): { readonly range: Range; readonly end: number } | undefined {
    const from = this.skipSpaces(at);
    const group = this.text[from] === "{" ? this.groupAt(from) : undefined;
    if (group !== undefined) return { range: group, end: group.to + 1 };
    if (from >= this.text.length || /[{}\n]/.test(this.text[from] as string)) return undefined;
    const macro = /\\(?:[A-Za-z]{1,60}|.)|./suy;
    macro.lastIndex = from;
    const end = from + (macro.exec(this.text)?.[0].length ?? 1);
    return { range: { from, to: end }, end };
  }

  /** Position after `[…]` at a position, or the position itself, and what stands in it. */
  optionAt(at: number): { readonly range: Range | undefined; readonly end: number } {
    const from = this.skipSpaces(at);
    if (this.text[from] !== "[") return { range: undefined, end: at };
    const limit = Math.min(this.text.length, from + maxOptionLength);
    for (let to = from + 1; to < limit; to++) {
      const sign = this.text[to];
      if (sign === "{") to = this.#closing.get(to) ?? to;
      else if (sign === "]") return { range: { from: from + 1, to }, end: to + 1 };
    }
    return { range: undefined, end: at };
  }

  skipSpaces(at: number): number {
    const spaces = /[ \t]{0,200}\n?[ \t]{0,200}/y;
    spaces.lastIndex = at;
    return at + (spaces.exec(this.text)?.[0].length ?? 0);
  }

  slice({ from, to }: Range): string {
    return this.text.slice(from, to);
  }
}

const maxOptionLength = 2000;
