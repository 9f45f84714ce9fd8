import type { Block, BlockSource, Inline, ListItem, TableRow } from "../../../document/document.ts";
import type { Box, OutlineEntry } from "../page-content.ts";
import { findHeadingLevels } from "./headings.ts";
import { joinPassages } from "./join-passages.ts";
import type { Passage } from "./passage.ts";
import { splitRunIns } from "./run-in-headings.ts";

/** A table found on a page, its cells composed. */
export interface PlacedTable extends Box {
  readonly kind: "table";
  readonly page: number;
  readonly rows: readonly TableRow[];
  readonly headerRowCount: number;
  /** Letters and digits in its cells. */
  readonly letterCount: number;
}

export type PlacedBlock = Passage | PlacedTable;

/** Blocks of the document from what stands on its pages, in reading order; pages without blocks have no break. */
export function toBlocks(placed: readonly PlacedBlock[], outline: readonly OutlineEntry[]): Block[] {
  const joined = splitRunIns(joinPassages(placed));
  const passages = joined.filter((block) => block.kind === "text");
  const levels = findHeadingLevels(passages, outline);
  const blocks: Block[] = [];
  let page = 0;
  for (let at = 0; at < joined.length;) {
    const block = joined[at] as PlacedBlock;
    if (block.page !== page) {
      page = block.page;
      blocks.push({ type: "pageBreak", number: page });
    }
    const run = block.kind === "text" && !levels.has(block) ? runFrom(joined, at, levels) : [];
    blocks.push(...(run.length > 0 ? runToBlocks(run) : [toBlock(block, levels)]));
    at += Math.max(1, run.length);
  }
  return blocks;
}

function toBlock(block: PlacedBlock, levels: ReadonlyMap<Passage, number>): Block {
  const source = sourceOf(block);
  if (block.kind === "table") return { type: "table", rows: block.rows, headerRowCount: block.headerRowCount, source };
  const level = levels.get(block);
  return level === undefined
    ? { type: "paragraph", inlines: block.inlines, source }
    : { type: "heading", level, inlines: block.inlines, source };
}

function sourceOf({ page, left, top, right, bottom }: PlacedBlock): BlockSource {
  const tenth = (value: number) => Math.round(value * 10) / 10;
  return { page, box: [tenth(left), tenth(top), tenth(right), tenth(bottom)] };
}

// Passages from here on that make one list, or one piece of code, on one page.
function runFrom(blocks: readonly PlacedBlock[], from: number, levels: ReadonlyMap<Passage, number>): Passage[] {
  const run: Passage[] = [];
  for (let at = from; at < blocks.length; at++) {
    const block = blocks[at] as PlacedBlock;
    if (block.kind !== "text" || levels.has(block) || !continuesRun(run, block)) break;
    run.push(block);
  }
  return isRun(run) ? run : [];
}

function continuesRun(run: readonly Passage[], passage: Passage): boolean {
  const first = run[0];
  const last = run.at(-1);
  if (first === undefined || last === undefined) return passage.codeText !== undefined || passage.mark !== undefined;
  if (first.page !== passage.page) return false;
  if (first.codeText !== undefined) return passage.codeText !== undefined;
  return passage.mark !== undefined && follows(last.mark as string, passage.mark);
}

function isRun(run: readonly Passage[]): boolean {
  const first = run[0];
  if (first === undefined) return false;
  if (first.codeText !== undefined) return run.length > 1 || first.lineCount > 1;
  return run.length > 1 || ordinalOf(first.mark as string) === undefined;
}

// A bullet goes on with the same bullet, a number with the next one.
function follows(mark: string, next: string): boolean {
  const [a, b] = [ordinalOf(mark), ordinalOf(next)];
  return a === undefined || b === undefined ? mark === next : b === a + 1;
}

function ordinalOf(mark: string): number | undefined {
  const digits = /\d+/.exec(mark)?.[0];
  if (digits !== undefined) return Number(digits);
  const letter = /[a-z]/i.exec(mark)?.[0];
  return letter === undefined ? undefined : letter.toLowerCase().charCodeAt(0) - 96;
}

function runToBlocks(run: readonly Passage[]): Block[] {
  const first = run[0] as Passage;
  const source = sourceOf(first);
  if (first.codeText !== undefined)
    return [{ type: "code", text: run.map(({ codeText }) => codeText).join("\n"), source }];
  const start = ordinalOf(first.mark as string);
  const items = run.map((passage): ListItem => ({ blocks: [{ type: "paragraph", inlines: withoutMark(passage) }] }));
  const isOrdered = start !== undefined && /\d/.test(first.mark as string);
  return [{ type: "list", ordered: isOrdered, ...(isOrdered && start !== 1 && { start }), items, source }];
}

function withoutMark({ inlines, mark = "" }: Passage): Inline[] {
  const [first, ...rest] = inlines;
  if (typeof first === "string" && first.startsWith(mark))
    return [first.slice(mark.length).trimStart(), ...rest].filter((inline) => inline !== "");
  return [...inlines];
}
