import type { Inline } from "../../../document/document.ts";
import { plainText } from "./compose-inlines.ts";
import { dropStart } from "./lists.ts";
import type { Passage } from "./passage.ts";
import type { PlacedBlock } from "./to-blocks.ts";

/** Notes are set at most this large against the text of the document; those with a raised mark as large at most. */
const maxSizeShare = { plain: 0.93, raised: 1.02 };
/** Passages at the foot of a page that may be notes. */
const maxNotesOfPage = 60;
const noteMark = /^(?:\d{1,3}|[a-z]|[*∗†‡§¶‖#]{1,3})$/u;

/**
 * Marks the notes at the feet of pages, and ties the reference of each to it: a passage in smaller type below the text of its
 * column that begins with a mark which stands raised exactly once in the text of the page.
 */
export function tieFootnotes(placed: readonly PlacedBlock[]): readonly PlacedBlock[] {
  const bodySize = findBodySize(placed);
  const changes = new Map<PlacedBlock, PlacedBlock>();
  const taken = new Set<string>();
  for (const page of groupByPage(placed)) {
    const notes = page.filter((passage) => isAtFoot(passage, page, bodySize)).slice(0, maxNotesOfPage);
    for (const note of notes) tie(note, { page, notes, changes, taken });
  }
  return changes.size === 0 ? placed : placed.map((block) => changes.get(block) ?? block);
}

interface Ties {
  readonly page: readonly Passage[];
  readonly notes: readonly Passage[];
  readonly changes: Map<PlacedBlock, PlacedBlock>;
  readonly taken: Set<string>;
}

function tie(note: Passage, { page, notes, changes, taken }: Ties): void {
  const mark = markOf(note);
  if (mark === undefined) return;
  const bearers = page.filter((passage) => !notes.includes(passage) && countMark(passage.inlines, mark) > 0);
  const [bearer] = bearers;
  if (bearer === undefined || bearers.length > 1 || countMark(bearer.inlines, mark) > 1) return;
  const current = (changes.get(bearer) ?? bearer) as Passage;
  const id = nameNote(mark, note.page, taken);
  const { mark: _, textLeft: __, ...unmarked } = note;
  const length = plainText(note.inlines).indexOf(mark) + mark.length;
  changes.set(bearer, { ...current, inlines: eachRaised(current.inlines, (raised) => refer(raised, mark, id)) });
  changes.set(note, { ...unmarked, inlines: dropStart(note.inlines, length), noteId: id });
}

// Numbers begin anew on each page of many books, and signs name nothing.
function nameNote(mark: string, page: number, taken: Set<string>): string {
  const name = /[\p{L}\p{N}]/u.test(mark) ? mark : `p${page}-${taken.size + 1}`;
  const id = taken.has(name) ? `${name}-p${page}` : name;
  taken.add(id);
  return id;
}

function findBodySize(placed: readonly PlacedBlock[]): number {
  const letters = new Map<number, number>();
  for (const block of placed) {
    if (block.kind === "text") letters.set(block.look.size, (letters.get(block.look.size) ?? 0) + block.text.length);
  }
  let [body, most] = [0, 0];
  for (const [size, count] of letters) if (count > most) [body, most] = [size, count];
  return body;
}

function groupByPage(placed: readonly PlacedBlock[]): Passage[][] {
  const pages = new Map<number, Passage[]>();
  for (const block of placed) {
    if (block.kind !== "text") continue;
    const page = pages.get(block.page);
    if (page === undefined) pages.set(block.page, [block]);
    else page.push(block);
  }
  return [...pages.values()];
}

// Smaller than the text, and nothing but notes below it in the same column.
function isAtFoot(note: Passage, page: readonly Passage[], bodySize: number): boolean {
  if (!isNoteLike(note, bodySize)) return false;
  return !page.some(
    (other) =>
      other.top > note.top &&
      other.look.size > bodySize * maxSizeShare.plain &&
      !isNoteLike(other, bodySize) &&
      Math.min(other.right, note.right) - Math.max(other.left, note.left) > note.look.size * 3,
  );
}

function isNoteLike(passage: Passage, bodySize: number): boolean {
  if (markOf(passage) === undefined) return false;
  const isRaised = typeof passage.inlines[0] === "object";
  return passage.look.size <= bodySize * (isRaised ? maxSizeShare.raised : maxSizeShare.plain);
}

/** The raised number or sign that begins a note, or the plain one before a space. */
function markOf({ inlines, text }: Passage): string | undefined {
  const [first] = inlines;
  const raised = typeof first === "object" && first.type === "superscript" ? plainText([first]) : undefined;
  const mark = raised ?? /^(\d{1,2}|[*∗†‡§¶‖]{1,3})\s/u.exec(text)?.[1];
  return mark !== undefined && noteMark.test(mark.trim()) ? mark.trim() : undefined;
}

function countMark(inlines: readonly Inline[], mark: string): number {
  let count = 0;
  eachRaised(inlines, (raised) => {
    count += marksIn(raised).filter((each) => each === mark).length;
    return [raised];
  });
  return count;
}

type Raised = Extract<Inline, { readonly inlines: readonly Inline[] }>;

/** Inlines with the raised texts that may be references rewritten. */
function eachRaised(inlines: readonly Inline[], rewrite: (raised: Raised) => readonly Inline[], before = ""): Inline[] {
  let text = before;
  return inlines.flatMap((inline): readonly Inline[] => {
    const current = text;
    text = (text + plainText([inline])).slice(-40);
    if (typeof inline === "string" || !("inlines" in inline)) return [inline];
    if (inline.type !== "superscript") return [{ ...inline, inlines: eachRaised(inline.inlines, rewrite, current) }];
    return current.trim() === "" || isExponentAfter(current) ? [inline] : rewrite(inline);
  });
}

// Behind a symbol, a unit or a number stands a power; what begins a passage is its own mark.
function isExponentAfter(before: string): boolean {
  return /(?:^|[^\p{L}])\p{L}{1,2}$|\p{N}$/u.test(before);
}

function marksIn(inline: Inline): string[] {
  return plainText([inline])
    .split(",")
    .map((each) => each.trim());
}

// The mark within a raised text (`1,2`), or the whole of it.
function refer(raised: Raised, mark: string, id: string): Inline[] {
  const marks = marksIn(raised);
  if (!marks.includes(mark)) return [raised];
  const reference: Inline = { type: "noteReference", id };
  const parts = marks.map((each): Inline => (each === mark ? reference : { type: "superscript", inlines: [each] }));
  return parts.flatMap((part, index) => (index === 0 ? [part] : [{ type: "superscript", inlines: [","] }, part]));
}
