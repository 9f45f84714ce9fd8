import type { Block, List, ListItem } from "../../document/document.ts";
import { joinLines } from "../../text/join-lines.ts";

const bullet = /^(\s*)([-*+•·▪◦‣●○■□–])[ \t]+(?=[^\s\-*=_.])/u;
const numbered = /^(\s*)(\d{1,4})[.)][ \t]+(?=\S)/;

interface Marker {
  readonly indent: number;
  /** Undefined for bullets. */
  readonly number: number | undefined;
  readonly text: string;
}

/** Whether the first of these lines begins a list: a bullet, or a number whose successor follows. */
export function isListGroup(lines: readonly string[]): boolean {
  const marker = markerOf(lines[0] ?? "");
  if (marker === undefined) return false;
  if (marker.number === undefined) return true;
  const next = marker.number + 1;
  return lines.some((line, index) => {
    const other = index > 0 ? markerOf(line) : undefined;
    return other?.number === next && other.indent === marker.indent;
  });
}

/** Items of a list with what is nested in them by indentation; wrapped lines of an item are joined. */
export function readList(lines: readonly string[]): Block[] {
  const base = markerOf(lines[0] ?? "");
  if (base === undefined) return [];
  const lists: { ordered: boolean; start: number; items: string[][] }[] = [];
  for (const line of lines) {
    const marker = markerOf(line);
    const isItem = marker !== undefined && marker.indent <= base.indent;
    if (isItem) addItem(lists, marker);
    else lists.at(-1)?.items.at(-1)?.push(line);
  }
  return lists.map(({ ordered, start, items }): List => ({
    type: "list",
    ordered,
    ...(ordered && { start }),
    items: items.map((item) => toItem(item, base.indent)),
  }));
}

function addItem(lists: { ordered: boolean; start: number; items: string[][] }[], marker: Marker): void {
  const ordered = marker.number !== undefined;
  const last = lists.at(-1);
  const goesOn = last?.ordered === ordered && (!ordered || last.start + last.items.length === marker.number);
  if (goesOn) last.items.push([marker.text]);
  else lists.push({ ordered, start: marker.number ?? 1, items: [[marker.text]] });
}

// The depth of nesting is bounded by the width of the deepest indent, which must grow with every level.
function toItem([first = "", ...rest]: readonly string[], indent: number): ListItem {
  const nestedAt = rest.findIndex(
    (line, index) => (markerOf(line)?.indent ?? 0) > indent && isListGroup(rest.slice(index, index + maxLookahead)),
  );
  const own = nestedAt === -1 ? rest : rest.slice(0, nestedAt);
  const text = joinLines([first, ...own].map((line) => line.trim()));
  const nested = nestedAt === -1 || indent > maxIndent ? [] : readList(rest.slice(nestedAt));
  return { blocks: [{ type: "paragraph", inlines: [text] }, ...nested] };
}

const maxIndent = 40;
const maxLookahead = 40;

function markerOf(line: string): Marker | undefined {
  const head = line.slice(0, 120);
  const match = bullet.exec(head) ?? numbered.exec(head);
  if (match === null) return undefined;
  const [whole, indent = "", sign = ""] = match;
  const number = /^\d/.test(sign) ? Number(sign) : undefined;
  return { indent: indent.length, number, text: line.slice(whole.length) };
}
