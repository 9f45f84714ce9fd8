import type { Block } from "../../document/document.ts";
import type { ReadContext } from "../reader.ts";

/** What the whole file shares while it is read. */
export interface Scope {
  readonly context: ReadContext;
  readonly attributes: Map<string, string>;
  readonly notes: Block[];
  readonly depth: number;
  readonly readBlocks: (lines: readonly string[], scope: Scope) => Block[];
}

export interface Cursor {
  readonly lines: readonly string[];
  readonly at: number;
}

export interface Taken {
  readonly blocks: readonly Block[];
  readonly lineCount: number;
}

/** The line in brackets and the title above a block. */
export interface BlockAttributes {
  /** `source`, `quote`, `NOTE`; empty when none is given. */
  readonly style: string;
  readonly positional: readonly string[];
  readonly named: ReadonlyMap<string, string>;
  readonly title: string | undefined;
}

export const noAttributes: BlockAttributes = { style: "", positional: [], named: new Map(), title: undefined };

/** Deeper than any document means it; what lies deeper is kept as plain paragraphs. */
export const maxDepth = 24;

export function readNested(lines: readonly string[], scope: Scope): Block[] {
  return scope.readBlocks(lines, { ...scope, depth: scope.depth + 1 });
}
