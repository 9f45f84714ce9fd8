import type { Block, BlockSource, Inline, TableRow } from "../../../document/document.ts";
import type { Box, OutlineEntry } from "../page-content.ts";
import { countCode, toCode } from "./code-runs.ts";
import { tieFootnotes } from "./footnotes.ts";
import { findHeadingLevels } from "./headings.ts";
import { joinPassages } from "./join-passages.ts";
import { findList } from "./lists.ts";
import type { Passage } from "./passage.ts";
import { placeFigures, type PlacedFigure } from "./place-figures.ts";
import { splitRunIns } from "./run-in-headings.ts";
import { tieCaptions } from "./table-captions.ts";
import { joinTables } from "./table-continuation.ts";
import { type PageFrame, toSource } from "./to-source.ts";

/** A table found on a page, its cells composed. */
export interface PlacedTable extends Box {
  readonly kind: "table";
  readonly page: number;
  readonly rows: readonly TableRow[];
  readonly headerRowCount: number;
  readonly caption?: readonly Inline[];
  /** Letters and digits in its cells. */
  readonly letterCount: number;
}

export type PlacedBlock = Passage | PlacedTable;

/** What is known of the pages beside their blocks. */
export interface OnPages {
  /** Frames of the pages that are not read as they are shown. */
  readonly frames?: ReadonlyMap<number, PageFrame>;
  readonly figures?: readonly PlacedFigure[];
}

/**
 * Blocks of the document from what stands on its pages, in reading order; pages without blocks have no break. Boxes are given
 * in the frames of their pages, where these are not as they are shown.
 */
export function toBlocks(
  placed: readonly PlacedBlock[],
  outline: readonly OutlineEntry[],
  { frames = new Map(), figures = [] }: OnPages = {},
): Block[] {
  const joined = splitRunIns(joinTables(tieCaptions(joinPassages(tieFootnotes(placed)))));
  const levels = findHeadingLevels(
    joined.filter((block) => block.kind === "table" || block.noteId === undefined),
    outline,
  );
  const places = placeFigures(joined, figures);
  const sourceOf = (block: PlacedBlock | PlacedFigure) => toSource(block, frames.get(block.page));
  const blocks: Block[] = [];
  let page = 0;
  for (let at = 0; at < joined.length;) {
    const block = joined[at] as PlacedBlock;
    if (block.page !== page) {
      page = block.page;
      blocks.push({ type: "pageBreak", number: page });
    }
    const run = findRun(textFrom(joined, at, levels), sourceOf);
    blocks.push(run?.block ?? toBlock(block, levels.get(block as Passage), sourceOf(block)));
    const end = at + (run?.length ?? 1);
    const figuresHere = joined.slice(at, end).flatMap((one) => places.get(one) ?? []);
    blocks.push(
      ...figuresHere.map((figure) => ({ type: "image" as const, alt: figure.alt, source: sourceOf(figure) })),
    );
    at = end;
  }
  return blocks;
}

/** Passages looked at for one list or piece of code. */
const maxRun = 2000;

// The passages from here on that are text, up to the next heading, table or note.
function textFrom(blocks: readonly PlacedBlock[], from: number, levels: ReadonlyMap<Passage, number>): Passage[] {
  const first = blocks[from];
  if (first?.kind !== "text" || (first.mark === undefined && first.codeText === undefined)) return [];
  const passages: Passage[] = [];
  for (let at = from; at < Math.min(blocks.length, from + maxRun); at++) {
    const block = blocks[at] as PlacedBlock;
    if (block.kind !== "text" || levels.has(block) || block.noteId !== undefined) break;
    passages.push(block);
  }
  return passages;
}

function findRun(
  passages: readonly Passage[],
  sourceOf: (passage: Passage) => BlockSource,
): { readonly block: Block; readonly length: number } | undefined {
  const first = passages[0];
  if (first === undefined) return undefined;
  const source = sourceOf(first);
  if (first.codeText !== undefined) {
    const length = countCode(passages);
    return length === 0 ? undefined : { block: { ...toCode(passages.slice(0, length)), source }, length };
  }
  const run = findList(passages, ({ inlines }) => ({ type: "paragraph", inlines }));
  return run && { block: { ...run.list, source }, length: run.length };
}

function toBlock(block: PlacedBlock, level: number | undefined, source: BlockSource): Block {
  if (block.kind === "table") {
    const { rows, headerRowCount, caption } = block;
    return { type: "table", rows, headerRowCount, ...(caption !== undefined && { caption }), source };
  }
  if (level !== undefined) return { type: "heading", level, inlines: block.inlines, source };
  const paragraph: Block = { type: "paragraph", inlines: block.inlines, source };
  return block.noteId === undefined ? paragraph : { type: "footnote", id: block.noteId, blocks: [paragraph], source };
}
