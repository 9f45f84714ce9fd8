import type { Block } from "../../document/document.ts";
import type { ReadContext } from "../reader.ts";

/** What the whole file shares while it is read. */
export interface Scope {
  readonly context: ReadContext;
  readonly keywords: Map<string, string>;
  readonly notes: Block[];
  readonly todoWords: Set<string>;
  readonly depth: number;
  /** Added to the levels of headings: 1 when a title stands above them. */
  readonly levelShift: number;
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

/** Deeper than any document means it; what lies deeper is kept as paragraphs. */
export const maxDepth = 24;

export function readNested(lines: readonly string[], scope: Scope): Block[] {
  return scope.readBlocks(lines, { ...scope, depth: scope.depth + 1 });
}
