import type { Block, Inline } from "../../document/document.ts";
import type { ReadContext } from "../reader.ts";
import type { Range, TexSource } from "./tex-source.ts";

/** What the whole file shares while it is read. */
export interface Scope {
  readonly context: ReadContext;
  /** Bodies of macros without arguments, by name. */
  readonly macros: ReadonlyMap<string, string>;
  readonly notes: Block[];
  /** Levels of sectioning commands, by name. */
  readonly levels: ReadonlyMap<string, number>;
  /** Characters that macros may still grow to. */
  expansion: { lengthLeft: number };
  readonly depth: number;
}

/** What reads a stretch of source; passed along, since commands, environments and tables contain one another. */
export interface Reading {
  readonly source: TexSource;
  readonly scope: Scope;
  /** Blocks of a stretch of the source. */
  blocks(range: Range): Block[];
  /** Its paragraphs as one run of inlines. */
  inlines(range: Range): Inline[];
}

export const maxDepth = 40;
