import type { Block, ListItem } from "../../document/document.ts";
import { joinLines } from "../../text/join-lines.ts";
import { isAttributeLine } from "./block-attributes.ts";
import { readInlines } from "./read-inlines.ts";
import { type BlockAttributes, type Cursor, maxDepth, noAttributes, type Scope, type Taken } from "./scope.ts";

const marker = /^\s*(\*{1,8}|-|•|\.{1,8}|\d{1,6}\.|[a-zA-Z]\.|<(?:\d{1,4}|\.)>)[ \t]+(?=\S)/;
const labelled = /^\s*(\S.{0,500}?)(:{2,4}|;;)(?:[ \t]+(.*))?$/;

type ReadBlock = (cursor: Cursor, attributes: BlockAttributes, scope: Scope) => Taken;

interface Marker {
  /** Equal for items of one list. */
  readonly key: string;
  readonly ordered: boolean;
  readonly number: number;
  /** Set on items of a list of terms. */
  readonly term: string | undefined;
  readonly text: string;
}

export function isListLine(line: string): boolean {
  return markerOf(line) !== undefined;
}

function markerOf(line: string): Marker | undefined {
  const head = line.slice(0, 2000);
  const match = marker.exec(head);
  if (match !== null) {
    const sign = match[1] ?? "";
    const ordered = !/^[*•-]/.test(sign);
    const key = sign
      .replace(/^\d+\.$/, "1.")
      .replace(/^[a-zA-Z]\.$/, "a.")
      .replace(/^<.*>$/, "<1>");
    return {
      key,
      ordered,
      number: Number(/\d+/.exec(sign)?.[0] ?? 1),
      term: undefined,
      text: line.slice(match[0].length),
    };
  }
  const term = /:{2}|;;/.test(head) && !/^\s*\w+::\S/.test(head) ? labelled.exec(head) : null;
  return term === null
    ? undefined
    : { key: term[2] ?? "", ordered: false, number: 1, term: term[1] ?? "", text: term[3] ?? "" };
}

interface Reading {
  readonly lines: readonly string[];
  readonly scope: Scope;
  readonly readBlock: ReadBlock;
  /** Keys of the lists that this one lies in. */
  readonly outer: readonly string[];
}

/** A list with the lists and blocks inside its items. */
export function readList({ lines, at }: Cursor, scope: Scope, readBlock: ReadBlock): Taken {
  const { blocks, end } = readItems({ lines, scope, readBlock, outer: [] }, at);
  return { blocks, lineCount: end - at };
}

interface Items {
  readonly blocks: Block[];
  readonly end: number;
}

function readItems(reading: Reading, start: number): Items {
  const { lines, scope } = reading;
  const first = markerOf(lines[start] ?? "");
  if (first === undefined) return { blocks: [], end: start + 1 };
  const inner = { ...reading, outer: [...reading.outer, first.key] };
  const items: ListItem[] = [];
  const terms: Block[] = [];
  let at = start;
  let current: Marker | undefined = first;
  while (current?.key === first.key) {
    const { blocks, end } = readItem(inner, at, current);
    if (current.term === undefined) items.push(toItem(blocks));
    else terms.push(termBlock(current.term, scope), ...blocks);
    at = end;
    const next = nextLine(lines, at);
    current = markerOf(lines[next] ?? "");
    if (current?.key === first.key) at = next;
  }
  return { blocks: first.term === undefined ? [toList(first, items)] : terms, end: at };
}

function toList({ ordered, number }: Marker, items: readonly ListItem[]): Block {
  return { type: "list", ordered, ...(ordered && number !== 1 && { start: number }), items };
}

function termBlock(term: string, scope: Scope): Block {
  return { type: "paragraph", inlines: [{ type: "strong", inlines: readInlines(term, scope) }] };
}

// `[x]` at the beginning of an item makes it a task.
function toItem(blocks: readonly Block[]): ListItem {
  const first = blocks[0];
  const text = first?.type === "paragraph" ? first.inlines[0] : undefined;
  const task = typeof text === "string" ? /^\[([ x*])\][ \t]+/.exec(text) : null;
  if (task === null || first?.type !== "paragraph" || typeof text !== "string") return { blocks };
  const inlines = [text.slice(task[0].length), ...first.inlines.slice(1)];
  return { blocks: [{ ...first, inlines }, ...blocks.slice(1)], isChecked: task[1] !== " " };
}

// A comment parts lists, blank lines do not.
function nextLine(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && (lines[at] as string).trim() === "") at++;
  return at;
}

function readItem(reading: Reading, start: number, { text }: Marker): Items {
  const { lines, scope } = reading;
  const own = [text];
  let at = start + 1;
  while (at < lines.length && isText(lines[at] as string)) own.push(lines[at++] as string);
  const joined = joinLines(own.map((line) => line.trim()).filter(Boolean));
  const blocks: Block[] = joined === "" ? [] : [{ type: "paragraph", inlines: readInlines(joined, scope) }];
  let next = attached(reading, at);
  while (next !== undefined) {
    blocks.push(...next.blocks);
    at = next.end;
    next = attached(reading, at);
  }
  return { blocks, end: at };
}

function isText(line: string): boolean {
  const trimmed = line.trim();
  return (
    trimmed !== "" &&
    trimmed !== "+" &&
    !isListLine(line) &&
    !isAttributeLine(line) &&
    !/^(?:-{2,}|={4,}|\.{4,}|\|={3,}|\/\/.*|```.*)$/.test(trimmed)
  );
}

// What goes on inside an item: a nested list, or a block after a line with a plus sign.
function attached(reading: Reading, at: number): Items | undefined {
  const { lines, scope, readBlock, outer } = reading;
  if ((lines[at] ?? "").trim() === "+") {
    const from = nextLine(lines, at + 1);
    const { blocks, lineCount } = readAttached({ lines, at: from }, scope, readBlock);
    return { blocks: [...blocks], end: from + Math.max(1, lineCount) };
  }
  const from = nextLine(lines, at);
  const nested = markerOf(lines[from] ?? "");
  const isDeeper = nested !== undefined && !outer.includes(nested.key) && outer.length <= maxDepth;
  return isDeeper ? readItems(reading, from) : undefined;
}

function readAttached(cursor: Cursor, scope: Scope, readBlock: ReadBlock): Taken {
  const { lines, at } = cursor;
  let from = at;
  while (from < lines.length && isAttributeLine(lines[from] as string)) from++;
  const inner = { ...scope, depth: scope.depth + 1 };
  if (from === at) return readBlock(cursor, noAttributes, inner);
  const end = Math.min(lines.length, from + maxAttachedLines);
  const { lineCount } = readBlock({ lines: lines.slice(0, end), at: from }, noAttributes, inner);
  return { blocks: scope.readBlocks(lines.slice(at, from + lineCount), inner), lineCount: from - at + lineCount };
}

const maxAttachedLines = 5000;
