import type { Inline } from "../../../document/document.ts";
import type { Box } from "../page-content.ts";
import { mergeStrings } from "./compose-inlines.ts";
import type { Passage } from "./passage.ts";
import { isTableCaption } from "./table-caption-line.ts";
import type { PlacedBlock, PlacedTable } from "./to-blocks.ts";

/** A caption stands no further from its table than this, in points; below, where notes stand too, nearer. */
const maxAbove = 45;
const maxBelow = 24;
/** The title of a table stands directly under its label. */
const maxTitleGap = 14;
const maxLabel = 40;
const maxTitleLines = 6;

/** Ties captions to the tables that they stand above or below. */
export function tieCaptions(blocks: readonly PlacedBlock[]): PlacedBlock[] {
  const taken = new Set<PlacedBlock>();
  const captions = new Map<PlacedBlock, readonly Passage[]>();
  for (const find of [captionAbove, captionBelow]) {
    for (const [index, block] of blocks.entries()) {
      if (block.kind !== "table" || captions.has(block)) continue;
      const caption = find(blocks, index).filter((passage) => !taken.has(passage));
      if (!caption.some(({ text }) => isTableCaption(text))) continue;
      captions.set(block, caption);
      for (const passage of caption) taken.add(passage);
    }
  }
  return blocks.flatMap((block) => {
    if (taken.has(block)) return [];
    const caption = block.kind === "table" ? captions.get(block) : undefined;
    return [caption === undefined ? block : withCaption(block as PlacedTable, caption)];
  });
}

function withCaption(table: PlacedTable, caption: readonly Passage[]): PlacedTable {
  const inlines = caption.flatMap((passage, index): readonly Inline[] =>
    index === 0 ? passage.inlines : [" ", ...passage.inlines],
  );
  return { ...table, caption: mergeStrings(inlines) };
}

// The passage directly above, or the label and the title under it.
function captionAbove(blocks: readonly PlacedBlock[], index: number): Passage[] {
  const [second, first, table] = [blocks[index - 2], blocks[index - 1], blocks[index] as PlacedTable];
  if (first?.kind !== "text" || !isUnder(table, first, maxAbove)) return [];
  if (isTableCaption(first.text) || second?.kind !== "text") return [first];
  const isTitle =
    second.text.length < maxLabel && first.lineCount < maxTitleLines && isUnder(first, second, maxTitleGap);
  return isTitle ? [second, first] : [];
}

function captionBelow(blocks: readonly PlacedBlock[], index: number): Passage[] {
  const [table, below] = [blocks[index] as PlacedTable, blocks[index + 1]];
  return below?.kind === "text" && isUnder(below, table, maxBelow) ? [below] : [];
}

function isUnder(
  below: Box & { readonly page: number },
  above: Box & { readonly page: number },
  maxGap: number,
): boolean {
  const gap = below.top - above.bottom;
  return below.page === above.page && gap > -8 && gap < maxGap && below.left < above.right && below.right > above.left;
}
