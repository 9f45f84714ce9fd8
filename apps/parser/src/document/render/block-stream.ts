import type { Block, Metadata } from "../document.ts";

/** A document whose blocks are rendered as they come, and not held by the renderer. */
export interface BlockStream {
  readonly metadata: Metadata;
  readonly blocks: Iterable<Block>;
}
