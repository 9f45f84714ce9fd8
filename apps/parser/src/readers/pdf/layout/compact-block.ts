import type { Passage } from "./passage.ts";
import type { PlacedBlock } from "./to-blocks.ts";

/**
 * The same block with its strings written anew. Text is composed of many pieces, which V8 keeps with a node for each joint
 * and, for a part of a longer string, with the whole of that: many times the letters, for as long as the document is read.
 */
export function compactBlock(block: PlacedBlock): PlacedBlock {
  if (block.kind === "text") return compactPassage(block);
  const { rows, caption } = block;
  return { ...block, rows: compact(rows), ...(caption !== undefined && { caption: compact(caption) }) };
}

function compactPassage(passage: Passage): Passage {
  const inlines = compact(passage.inlines);
  const [only] = inlines;
  const text = inlines.length === 1 && only === passage.text ? only : compact(passage.text);
  const { codeText } = passage;
  return { ...passage, inlines, text, ...(codeText !== undefined && { codeText: compact(codeText) }) };
}

function compact<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
