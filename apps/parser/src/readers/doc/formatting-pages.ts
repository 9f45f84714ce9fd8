import { u16, u32, u8 } from "./bytes.ts";
import type { PageRun } from "./fib.ts";
import { readPlc } from "./plc.ts";

const pageBytes = 512;

/** Runs of bytes of the main stream with one formatting, in ascending order. */
export class FormattingRuns {
  readonly #starts: readonly number[];
  readonly #runs: readonly FormattingRun[];
  #last = 0;

  constructor(runs: readonly FormattingRun[]) {
    const isSorted = runs.every((run, index) => index === 0 || (runs[index - 1]?.start ?? 0) <= run.start);
    this.#runs = isSorted ? runs : runs.toSorted((a, b) => a.start - b.start);
    this.#starts = this.#runs.map(({ start }) => start);
  }

  /** The run that a byte lies in; undefined where nothing is said. */
  find(offset: number): FormattingRun | undefined {
    const last = this.#runs[this.#last];
    if (last === undefined || offset < last.start || offset >= last.end) this.#last = this.#indexOf(offset);
    const run = this.#runs[this.#last];
    return run !== undefined && offset >= run.start && offset < run.end ? run : undefined;
  }

  /** The first byte after `offset` where a run begins. */
  nextStart(offset: number): number {
    return this.#starts[this.#indexOf(offset) + 1] ?? Infinity;
  }

  // The last run that begins at or before the byte.
  #indexOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

export interface FormattingRun {
  readonly start: number;
  /** The byte after the run. */
  readonly end: number;
  /** Where the group of changes stands in the main stream, which names it. */
  readonly groupAt: number;
  readonly group: Buffer;
  /** Style of the paragraphs; 0 in runs of characters. */
  readonly styleIndex: number;
}

interface PageSource {
  readonly main: Buffer;
  readonly isWord6: boolean;
  /** The index of pages: a PLC of bytes of the main stream, with page numbers. */
  readonly index: Buffer;
  readonly pages: PageRun;
}

/** Runs of characters in the pages that the index names ([MS-DOC] 2.9.33). */
export function readCharacterRuns(source: PageSource): FormattingRuns {
  return readRuns(source, 1, readCharacterGroup);
}

/** Runs of paragraphs in the pages that the index names ([MS-DOC] 2.9.174). */
export function readParagraphRuns(source: PageSource): FormattingRuns {
  return readRuns(source, source.isWord6 ? 7 : 13, readParagraphGroup);
}

type ReadGroup = (page: Page, at: number) => Pick<FormattingRun, "group" | "groupAt" | "styleIndex">;

interface Page {
  readonly bytes: Buffer;
  readonly offset: number;
  readonly isWord6: boolean;
}

function readRuns(source: PageSource, entryBytes: number, readGroup: ReadGroup): FormattingRuns {
  const runs: FormattingRun[] = [];
  for (const number of pageNumbers(source)) {
    const offset = number * pageBytes;
    const bytes = source.main.subarray(offset, offset + pageBytes);
    if (bytes.length < pageBytes) continue;
    const page = { bytes, offset, isWord6: source.isWord6 };
    const count = Math.min(u8(bytes, pageBytes - 1), Math.floor((pageBytes - 5) / (4 + entryBytes)));
    for (let index = 0; index < count; index++) {
      const start = u32(bytes, 4 * index);
      const end = u32(bytes, 4 * (index + 1));
      const groupAt = 2 * u8(bytes, 4 * (count + 1) + entryBytes * index);
      if (start < end) runs.push({ start, end, ...readGroup(page, groupAt) });
    }
  }
  return new FormattingRuns(runs);
}

// Each page once, whatever the index repeats. Word 6 leaves pages that follow one another out of it.
function pageNumbers({ index, isWord6, pages, main }: PageSource): Set<number> {
  const plc = readPlc(index, isWord6 ? 2 : 4);
  const numbers = new Set<number>();
  for (let entry = 0; entry < plc.count; entry++) {
    const data = plc.data(entry);
    numbers.add(isWord6 ? u16(data, 0) : u32(data, 0) & 0x3fffff);
  }
  const last = Math.min(pages.first + pages.count, Math.ceil(main.length / pageBytes));
  if (numbers.size < pages.count) for (let number = pages.first; number < last; number++) numbers.add(number);
  return numbers;
}

const noGroup = { group: Buffer.alloc(0), groupAt: 0, styleIndex: 0 };

function readCharacterGroup({ bytes, offset }: Page, at: number): ReturnType<ReadGroup> {
  if (at === 0) return noGroup;
  const group = bytes.subarray(at + 1, Math.min(at + 1 + u8(bytes, at), pageBytes - 1));
  return { group, groupAt: offset + at, styleIndex: 0 };
}

// Sizes count words; those of an even number of bytes stand in a second byte, after a 0 ([MS-DOC] 2.9.175).
function readParagraphGroup({ bytes, offset, isWord6 }: Page, at: number): ReturnType<ReadGroup> {
  if (at === 0) return noGroup;
  const words = u8(bytes, at);
  const isLong = words === 0 && !isWord6;
  const from = isLong ? at + 2 : at + 1;
  const size = isLong ? 2 * u8(bytes, at + 1) : 2 * words - (isWord6 ? 0 : 1);
  const group = bytes.subarray(from + 2, Math.max(from + 2, Math.min(from + size, pageBytes - 1)));
  return { group, groupAt: offset + at, styleIndex: u16(bytes, from) };
}
