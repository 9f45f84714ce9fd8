import type { Block, Inline, List } from "../../../document/document.ts";
import { plainText } from "./compose-inlines.ts";
import { isCaption } from "./caption.ts";
import { decimalOf, follows, senseOf } from "./item-mark.ts";
import type { Passage } from "./passage.ts";

/** Marks nearer to one another than this share of the em are of one level. */
const slack = 0.8;
const maxDepth = 9;
/** Paragraphs without a mark that an item may go on with before the next mark. */
const maxContinued = 4;

/** A run of passages that make one list, and how many of the blocks given it takes. */
export interface ListRun {
  readonly list: List;
  readonly length: number;
}

interface Level {
  readonly left: number;
  mark: string;
  textLeft: number;
  readonly items: { blocks: Block[]; isChecked?: boolean }[];
}

/** The list that begins with the first of the passages; undefined where its mark is none, such as a lone number. */
export function findList(passages: readonly Passage[], toParagraph: (passage: Passage) => Block): ListRun | undefined {
  const first = passages[0];
  if (first?.mark === undefined) return undefined;
  const levels: Level[] = [];
  const root = openLevel(levels, first, first.left);
  addItem(root, first, toParagraph);
  const place: Place = { last: first, shift: 0 };
  let length = 1;
  for (;;) {
    const next = nextItem(passages, length);
    if (next === undefined || !addPassages(levels, { passages: passages.slice(length, next + 1), place, toParagraph }))
      break;
    length = next + 1;
  }
  const isList = length > 1 || senseOf(first.mark).numbers.length === 0;
  return isList ? { list: { type: "list", ...numberingOf(first.mark), items: root.items }, length } : undefined;
}

interface Place {
  last: Passage;
  /** How far the column in hand lies right of the one in which the list begins. */
  shift: number;
}

interface Addition {
  /** Paragraphs that go on with an item, then the next item. */
  readonly passages: readonly Passage[];
  readonly place: Place;
  readonly toParagraph: (passage: Passage) => Block;
}

function nextItem(passages: readonly Passage[], from: number): number | undefined {
  for (let at = from; at < Math.min(passages.length, from + maxContinued + 1); at++) {
    const passage = passages[at] as Passage;
    if (passage.mark !== undefined) return at;
    if (passage.codeText !== undefined || isCaption(passage.text)) return undefined;
  }
  return undefined;
}

function addPassages(levels: Level[], { passages, place, toParagraph }: Addition): boolean {
  const item = passages.at(-1) as Passage;
  const continued = passages.slice(0, -1);
  const owner =
    continued.length === 0
      ? undefined
      : levels.findLast((level) => continued.every((one) => goesOn(level, one, place)));
  if (continued.length > 0 && owner === undefined) return false;
  const open = owner === undefined ? levels : levels.slice(0, levels.indexOf(owner) + 1);
  const found = findLevel(open, item, place);
  if (found === undefined) return false;
  for (const passage of continued) owner?.items.at(-1)?.blocks.push(toParagraph(passage));
  levels.length = found.index;
  const level = found.level ?? openLevel(levels, item, item.left - place.shift);
  if (found.level !== undefined) levels.push(level);
  level.mark = item.mark as string;
  level.textLeft = (item.textLeft ?? item.left) - place.shift;
  addItem(level, item, toParagraph);
  place.last = item;
  return true;
}

// A paragraph that stands under the text of an item, not under its mark.
function goesOn(level: Level, passage: Passage, { last, shift }: Place): boolean {
  const em = passage.look.size;
  const left = passage.left - shift;
  return (
    passage.page === last.page &&
    Math.abs(left - level.textLeft) < em * 0.5 &&
    left > level.left + em * slack &&
    Math.abs(em - last.look.size) < em * 0.08
  );
}

/** The level that an item goes on with, and its depth; no level where it begins one of its own inside an item. */
function findLevel(
  levels: readonly Level[],
  item: Passage,
  place: Place,
): { index: number; level?: Level } | undefined {
  if (isElsewhere(place.last, item)) {
    const index = levels.findLastIndex((level) => follows(level.mark, item.mark as string));
    if (index < 0) return undefined;
    place.shift = item.left - (levels[index] as Level).left;
    return { index, level: levels[index] as Level };
  }
  const em = item.look.size;
  const left = item.left - place.shift;
  const index = levels.findLastIndex((level) => level.left < left + em * slack);
  const level = levels[index];
  if (level === undefined) return undefined;
  if (left > level.left + em * slack) return index + 1 < maxDepth ? { index: index + 1 } : undefined;
  if (follows(level.mark, item.mark as string)) return { index, level };
  return index > 0 ? { index } : undefined;
}

// On another page, or at the head of another column.
function isElsewhere(last: Passage, next: Passage): boolean {
  return next.page !== last.page || next.top < last.top;
}

function openLevel(levels: Level[], passage: Passage, left: number): Level {
  const level: Level = { left, mark: passage.mark as string, textLeft: passage.textLeft ?? left, items: [] };
  const parent = levels.at(-1)?.items.at(-1);
  // The list of this level is written when it is complete; its place in the item above is kept by its items.
  parent?.blocks.push({ type: "list", ...numberingOf(level.mark), items: level.items });
  levels.push(level);
  return level;
}

function addItem(level: Level, passage: Passage, toParagraph: (passage: Passage) => Block): void {
  const isChecked = checkOf(passage.mark as string);
  const item = { blocks: [toParagraph(withoutMark(passage))] };
  level.items.push(isChecked === undefined ? item : { ...item, isChecked });
}

function numberingOf(mark: string): Pick<List, "ordered" | "start"> {
  const start = decimalOf(mark);
  return { ordered: start !== undefined, ...(start !== undefined && start !== 1 && { start }) };
}

function checkOf(mark: string): boolean | undefined {
  if (mark === "☐") return false;
  return mark === "☑" || mark === "☒" ? true : undefined;
}

// Letters and Roman numerals stay with the text, which Markdown cannot number so.
function withoutMark(passage: Passage): Passage {
  const { inlines, text, mark = "" } = passage;
  const isKept = decimalOf(mark) === undefined && senseOf(mark).numbers.length > 0;
  return isKept || !text.startsWith(mark) ? passage : { ...passage, inlines: dropStart(inlines, mark.length) };
}

/** Inlines without their first characters and the space behind those. */
export function dropStart(inlines: readonly Inline[], length: number): Inline[] {
  const [first, ...rest] = inlines;
  if (first === undefined) return [];
  if (typeof first === "string") {
    const kept = first.slice(length);
    if (first.length < length || kept.trim() === "") return dropStart(rest, Math.max(0, length - first.length));
    return [kept.trimStart(), ...rest];
  }
  if (!("inlines" in first)) return [...inlines];
  const inner = plainText([first]).length;
  if (length >= inner) return dropStart(rest, length - inner);
  return length === 0 ? [...inlines] : [{ ...first, inlines: dropStart(first.inlines, length) }, ...rest];
}
