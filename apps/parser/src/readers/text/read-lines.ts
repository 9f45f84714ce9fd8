import type { Block, Inline, List, ListItem } from "../../document/document.ts";
import { joinLines } from "../../text/join-lines.ts";
import { classifyGroup } from "./classify-group.ts";
import { isListGroup, readList } from "./read-list.ts";

/** Blocks of lines without trailing spaces; blank lines part them. */
export function readLines(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (const group of toGroups(lines)) {
    const [first, ...rest] = readGroup(group);
    const isMerged = first?.type === "list" && mergeLists(blocks.at(-1), first);
    if (first !== undefined && !isMerged) blocks.push(first);
    for (const block of rest) blocks.push(block);
  }
  return blocks;
}

function toGroups(lines: readonly string[]): string[][] {
  const groups: string[][] = [];
  let group: string[] = [];
  for (const line of lines) {
    if (line !== "") group.push(line);
    else if (group.length > 0) {
      groups.push(group);
      group = [];
    }
  }
  return group.length > 0 ? [...groups, group] : groups;
}

function readGroup(group: readonly string[]): Block[] {
  const start = group.findIndex((_, index) => isListGroup(group.slice(index, index + maxLookahead)));
  if (start === -1) return readProse(group);
  return [...readProse(group.slice(0, start)), ...readList(group.slice(start))];
}

const maxLookahead = 40;

function readProse(group: readonly string[]): Block[] {
  if (group.length === 0) return [];
  const kind = classifyGroup(group);
  if (kind === "exact") return [{ type: "code", text: withoutIndent(group).join("\n") }];
  if (kind === "paragraphs") return group.map((line) => paragraph([line.trim()]));
  if (kind === "wrapped") {
    return toParagraphs(group).map((lines) => paragraph([joinLines(lines.map((line) => line.trim()))]));
  }
  return [paragraph(group.flatMap((line, index) => (index === 0 ? [line.trim()] : [lineBreak, line.trim()])))];
}

const lineBreak = { type: "lineBreak" } as const;

function paragraph(inlines: readonly Inline[]): Block {
  return { type: "paragraph", inlines };
}

// Books mark a new paragraph by the indent of its first line, without a blank line.
function toParagraphs(group: readonly string[]): string[][] {
  const usual = indentOf(group[1] ?? group[0] ?? "");
  const indented = group.filter((line) => indentOf(line) > usual + 1).length;
  const isMarked = indented > 0 && indented < group.length / 2;
  const paragraphs: string[][] = [];
  for (const line of group) {
    const isNew = paragraphs.length === 0 || (isMarked && indentOf(line) > usual + 1);
    if (isNew) paragraphs.push([line]);
    else paragraphs.at(-1)?.push(line);
  }
  return paragraphs;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function withoutIndent(group: readonly string[]): string[] {
  const spaces = group.map((line) => /^ */.exec(line)?.[0].length ?? 0);
  const common = spaces.reduce((least, count) => Math.min(least, count), Number.POSITIVE_INFINITY);
  return group.map((line) => line.slice(common));
}

// Items with blank lines between them are one list, as long as their numbers go on. The lists are this reader's own, so that
// the last one may grow.
function mergeLists(last: Block | undefined, next: List): boolean {
  if (last?.type !== "list" || last.ordered !== next.ordered) return false;
  const expected = (last.start ?? 1) + last.items.length;
  if (last.ordered && next.start !== expected) return false;
  (last.items as ListItem[]).push(...next.items);
  return true;
}
