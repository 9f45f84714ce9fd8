import { countLeftOut, type EventGap, type EventPaths, readEventGap } from "./bound-events.ts";
import type { CutLine } from "./line-cutter.ts";
import { createLineReader, type LineReader } from "./line-reader.ts";

export interface GappedSource extends EventPaths {
  /** Where to begin, in bytes. */
  readonly offset: number;
  readonly maxLineBytes: number;
}

/**
 * Reads the events of a run of which a part may be left out: there, the lines that were kept come, each with the offset that it
 * had, and then one that tells how many are gone. The gap is looked at after each piece was read, so that a hole that is made
 * meanwhile is never taken for events.
 */
export function createGappedReader(source: GappedSource): LineReader {
  let position = source.offset;
  let reader = open(position);
  let kept: { readonly reader: LineReader; readonly gap: EventGap } | undefined;
  function open(offset: number): LineReader {
    return createLineReader({ path: source.events, offset, maxLineBytes: source.maxLineBytes });
  }
  const enter = (gap: EventGap): void => {
    const path = source.eventsKept;
    kept = { gap, reader: createLineReader({ path, offset: 0, maxLineBytes: source.maxLineBytes + 64 }) };
  };
  const leave = async (gap: EventGap): Promise<readonly CutLine[]> => {
    await Promise.all([reader.close(), kept?.reader.close()]);
    kept = undefined;
    reader = open(gap.end);
    position = gap.end;
    return [toNotice(gap)];
  };
  const readKept = async ({ reader: keptReader, gap }: NonNullable<typeof kept>): Promise<readonly CutLine[]> => {
    const { lines, isAtEnd } = await keptReader.read();
    const found = lines.flatMap(toKept);
    const mine = found.filter(({ endOffset }) => endOffset > position && endOffset <= gap.end);
    const isPast = found.some(({ endOffset }) => endOffset > gap.end);
    return isAtEnd || isPast ? [...mine, ...(await leave(gap))] : mine;
  };
  return {
    read: async () => {
      if (kept !== undefined) return { lines: await readKept(kept), isAtEnd: false };
      const { lines, isAtEnd } = await reader.read();
      const gap = await readEventGap(source);
      const isBehind = gap !== undefined && position < gap.end;
      const end = lines.at(-1)?.endOffset ?? position;
      if (isBehind && (end > gap.start || position >= gap.start || isAtEnd)) {
        const before = lines.filter(({ endOffset }) => endOffset > position && endOffset <= gap.start);
        position = before.at(-1)?.endOffset ?? position;
        enter(gap);
        return { lines: before, isAtEnd: false };
      }
      position = end;
      return { lines, isAtEnd };
    },
    readRest: () => reader.readRest(),
    close: async () => {
      await Promise.all([reader.close(), kept?.reader.close()]);
    },
  };
}

function toKept({ text }: CutLine): readonly CutLine[] {
  const [, offset, line] = /^(\d+)\t(.*)$/s.exec(text) ?? [];
  return offset === undefined || line === undefined ? [] : [{ text: line, endOffset: Number(offset), isCut: false }];
}

function toNotice(gap: EventGap): CutLine {
  const kinds = Object.entries(gap.leftOut).map(([type, count]) => `${type} ${count}`);
  const text = `[${countLeftOut(gap)} events were left out here, because the run wrote too many: ${kinds.join(", ")}]`;
  return { text, endOffset: gap.end, isCut: false, isNotice: true };
}
