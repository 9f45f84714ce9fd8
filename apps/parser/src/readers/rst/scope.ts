import type { Block, Metadata } from "../../document/document.ts";
import type { ReadContext } from "../reader.ts";

/** What the whole file shares while it is read. */
export interface Scope {
  readonly context: ReadContext;
  /** Addresses by reference name in lower case. */
  readonly targets: ReadonlyMap<string, string>;
  /** Text of substitutions by name. */
  readonly substitutions: ReadonlyMap<string, string>;
  /** Adornment styles of titles in order of appearance; the index is the level less one. */
  readonly titleStyles: string[];
  readonly notes: Block[];
  readonly metadata: Map<keyof Metadata, string>;
  /** How deep the text lies in lists, quotes and tables. */
  readonly depth: number;
  readonly readBody: (lines: readonly string[], scope: Scope) => Block[];
}

/** Deeper than any document means it; what lies deeper is read as paragraphs. */
export const maxDepth = 24;

/** Blocks of lines that lie inside another block. */
export function readNested(lines: readonly string[], scope: Scope): Block[] {
  return scope.readBody(lines, { ...scope, depth: scope.depth + 1 });
}

/** What a reader of one kind of block found at the top of the lines: its blocks and how many lines it took. */
export interface Taken {
  readonly blocks: readonly Block[];
  readonly lineCount: number;
}

export interface Cursor {
  readonly lines: readonly string[];
  readonly at: number;
}

export type BlockRule = (cursor: Cursor, scope: Scope) => Taken | undefined;
