import type { PageRange } from "../readers/reader.ts";

const maxPage = 10_000_000;

/** `1-3,7,12-` as ascending ranges that do not overlap; undefined when it is not of that form. */
export function parsePageRanges(text: string): readonly PageRange[] | undefined {
  const ranges: PageRange[] = [];
  for (const part of text.split(",")) {
    const range = parseRange(part.trim());
    if (range === undefined) return undefined;
    ranges.push(range);
  }
  return merge(ranges.sort((a, b) => a.first - b.first));
}

function parseRange(part: string): PageRange | undefined {
  const match = /^(\d{1,8})(?:\s*(-)\s*(\d{1,8})?)?$/.exec(part);
  if (match === null) return undefined;
  const first = Number(match[1]);
  const last = match[2] === undefined ? first : match[3] === undefined ? maxPage : Number(match[3]);
  return first >= 1 && last >= first ? { first, last } : undefined;
}

function merge(ranges: readonly PageRange[]): readonly PageRange[] {
  const merged: PageRange[] = [];
  for (const range of ranges) {
    const previous = merged.at(-1);
    if (previous !== undefined && range.first <= previous.last + 1) {
      merged[merged.length - 1] = { first: previous.first, last: Math.max(previous.last, range.last) };
    } else merged.push(range);
  }
  return merged;
}
