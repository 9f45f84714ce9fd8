import type { Inline } from "../document.ts";
import { hasSameMarks, type Leaf, listLeaves, type Mark, sharedMarks } from "./inline-leaves.ts";
import { collapseSpace, normaliseLine, spaceOf } from "./normalise-text.ts";

/**
 * Inlines in their one canonical form: clean text, single spaces and none at the ends, spaces and line breaks outside the
 * styles and links they end, neighbours of the same style joined, no style within itself, nothing empty.
 */
export function normaliseInlines(inlines: readonly Inline[]): readonly Inline[] {
  const [only] = inlines;
  if (inlines.length === 1 && typeof only === "string") {
    const line = normaliseLine(only);
    if (line === "") return [];
    return line === only ? inlines : [line];
  }
  return buildInlines(settleSpaces(listLeaves(inlines)));
}

/** White space between two leaves: what it is worth, and the marks of the first leaf that held some. */
interface Gap {
  space: string;
  breakCount: number;
  marks: readonly Mark[] | undefined;
}

// Takes the white space off the ends of leaves and puts it back between them, once, with the marks of both sides.
function settleSpaces(leaves: readonly Leaf[]): Leaf[] {
  const settled: Leaf[] = [];
  let gap: Gap = emptyGap();
  for (const leaf of leaves) {
    if (leaf.kind === "break") {
      gap = { ...gap, breakCount: gap.breakCount + 1, marks: gap.marks ?? leaf.marks };
      continue;
    }
    const text = leaf.kind === "text" ? collapseSpace(leaf.text) : "-";
    const solid = text.trim();
    if (text !== text.trimStart()) widen(gap, text.slice(0, 1), leaf.marks);
    if (solid === "") continue;
    closeGap(settled, gap, leaf.marks);
    append(settled, leaf.kind === "text" ? { ...leaf, text: solid } : leaf);
    gap = emptyGap();
    if (text !== text.trimEnd()) widen(gap, text.slice(-1), leaf.marks);
  }
  return settled;
}

function emptyGap(): Gap {
  return { space: "", breakCount: 0, marks: undefined };
}

function widen(gap: Gap, space: string, marks: readonly Mark[]): void {
  gap.space = spaceOf(gap.space + space);
  gap.marks ??= marks;
}

function closeGap(settled: Leaf[], { space, breakCount, marks }: Gap, after: readonly Mark[]): void {
  const before = settled.at(-1);
  if (before === undefined || marks === undefined) return;
  const shared = sharedMarks(sharedMarks(before.marks, after), marks);
  for (let count = 0; count < breakCount; count++) settled.push({ kind: "break", marks: shared });
  if (breakCount === 0) append(settled, { kind: "text", text: space, marks: shared });
}

function append(settled: Leaf[], leaf: Leaf): void {
  const previous = settled.at(-1);
  if (previous?.kind === "text" && leaf.kind === "text" && hasSameMarks(previous, leaf))
    settled[settled.length - 1] = { ...previous, text: previous.text + leaf.text };
  else settled.push(leaf);
}

interface Span {
  readonly start: number;
  readonly end: number;
  /** How many marks around the span are already opened. */
  readonly opened: readonly Mark[];
}

// Of the marks that begin at a leaf, the one that lasts longest is outermost, so the form does not depend on the source.
function buildInlines(leaves: readonly Leaf[], span: Span = { start: 0, end: leaves.length, opened: [] }): Inline[] {
  const built: Inline[] = [];
  for (let at = span.start; at < span.end;) {
    const leaf = leaves[at] as Leaf;
    const outermost = longestMark(leaves, at, span);
    if (outermost === undefined) {
      built.push(leaf.kind === "text" ? leaf.text : leaf.kind === "break" ? { type: "lineBreak" } : leaf.atom);
      at++;
      continue;
    }
    const inner = { start: at, end: outermost.end, opened: [...span.opened, outermost.mark] };
    built.push(wrap(outermost.mark, buildInlines(leaves, inner)));
    at = outermost.end;
  }
  return built;
}

const outwardness = { link: 0, emphasis: 1, strong: 2, superscript: 3, subscript: 4 } as const;

function longestMark(leaves: readonly Leaf[], at: number, span: Span): { mark: Mark; end: number } | undefined {
  let longest: { mark: Mark; end: number } | undefined;
  for (const mark of leaves[at]?.marks ?? []) {
    if (span.opened.some(({ key }) => key === mark.key)) continue;
    const end = endOfMark(leaves, { mark, at, limit: span.end });
    const isOuter = longest === undefined || end > longest.end;
    const isTie =
      longest !== undefined && end === longest.end && outwardness[mark.type] < outwardness[longest.mark.type];
    if (isOuter || isTie) longest = { mark, end };
  }
  return longest;
}

function endOfMark(leaves: readonly Leaf[], { mark, at, limit }: { mark: Mark; at: number; limit: number }): number {
  let end = at + 1;
  while (end < limit && leaves[end]?.marks.some(({ key }) => key === mark.key) === true) end++;
  return end;
}

function wrap(mark: Mark, inlines: readonly Inline[]): Inline {
  return mark.type === "link" ? { type: "link", target: mark.target, inlines } : { type: mark.type, inlines };
}
