import type { Inline } from "../../../document/document.ts";
import { isCaption } from "./headings.ts";
import type { Passage } from "./passage.ts";
import type { PlacedBlock } from "./to-blocks.ts";

/** How far ahead the rest of a paragraph is looked for, over the figures, tables and notes that stand between. */
const lookAhead = 8;

/** Joins paragraphs that go on in the next column or on the next page. */
export function joinPassages(blocks: readonly PlacedBlock[]): PlacedBlock[] {
  const result: PlacedBlock[] = [];
  const gone = new Set<PlacedBlock>();
  for (const [index, block] of blocks.entries()) {
    if (gone.has(block)) continue;
    let current = block;
    let from = index;
    for (;;) {
      const next = current.kind === "text" ? findRest(blocks, from, current, gone) : -1;
      if (next < 0) break;
      const rest = blocks[next] as Passage;
      gone.add(rest);
      current = join(current as Passage, rest);
      from = next;
    }
    result.push(current);
  }
  return result;
}

function findRest(
  blocks: readonly PlacedBlock[],
  from: number,
  passage: Passage,
  gone: ReadonlySet<PlacedBlock>,
): number {
  if (!isOpen(passage)) return -1;
  for (let at = from + 1; at < Math.min(blocks.length, from + 1 + lookAhead); at++) {
    const block = blocks[at] as PlacedBlock;
    if (gone.has(block) || block.kind === "table") continue;
    if (isRest(passage, block)) return at;
    if (!isFloat(passage, block)) return -1;
  }
  return -1;
}

function isOpen({ text, lineCount, codeText }: Passage): boolean {
  return codeText === undefined && lineCount > 1 && /[\p{L}\p{N},)\-–’'”\]]$/u.test(text.trimEnd()) && !isCaption(text);
}

function isRest(passage: Passage, next: Passage): boolean {
  const isSameLook = Math.abs(next.look.size - passage.look.size) <= 0.5 && next.look.isBold === passage.look.isBold;
  const isElsewhere =
    next.page !== passage.page || next.top < passage.bottom - passage.look.size || next.left > passage.right;
  if (!isSameLook || !isElsewhere || next.mark !== undefined || next.codeText !== undefined || isCaption(next.text))
    return false;
  if (/^[\p{Ll}(,;\]]/u.test(next.text)) return true;
  return (
    next.lineCount > 1 &&
    /[\p{Ll},\-]$/u.test(passage.text) &&
    /^[\p{L}\p{N}[“"]/u.test(next.text) &&
    next.look.fontName === passage.look.fontName
  );
}

// Notes and captions, smaller than the text or in another font, stand between the parts of a paragraph.
function isFloat(passage: Passage, block: Passage): boolean {
  return (
    isCaption(block.text) ||
    block.look.size < passage.look.size * 0.95 ||
    (block.lineCount <= 2 && block.look.fontName !== passage.look.fontName)
  );
}

function join(passage: Passage, rest: Passage): Passage {
  const isBroken = /\p{L}-$/u.test(passage.text) && /^\p{Ll}/u.test(rest.text);
  const head = isBroken ? dropLast(passage.inlines) : passage.inlines;
  const inlines: Inline[] = [...head, ...(isBroken ? [] : [" "]), ...rest.inlines];
  const text = isBroken ? passage.text.slice(0, -1) + rest.text : `${passage.text} ${rest.text}`;
  return { ...passage, inlines: mergeStrings(inlines), text, lineCount: passage.lineCount + rest.lineCount };
}

function dropLast(inlines: readonly Inline[]): Inline[] {
  const last = inlines.at(-1);
  if (last === undefined) return [];
  if (typeof last === "string") return [...inlines.slice(0, -1), last.slice(0, -1)];
  return "inlines" in last ? [...inlines.slice(0, -1), { ...last, inlines: dropLast(last.inlines) }] : [...inlines];
}

function mergeStrings(inlines: readonly Inline[]): Inline[] {
  const merged: Inline[] = [];
  for (const inline of inlines) {
    const last = merged.at(-1);
    if (typeof inline === "string" && typeof last === "string") merged[merged.length - 1] = last + inline;
    else merged.push(inline);
  }
  return merged;
}
