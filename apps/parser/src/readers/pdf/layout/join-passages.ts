import type { Inline } from "../../../document/document.ts";
import { jointBetween, mergeStrings } from "./compose-inlines.ts";
import { isCaption } from "./caption.ts";
import type { Passage } from "./passage.ts";
import type { PlacedBlock } from "./to-blocks.ts";

/** How far ahead the rest of a paragraph is looked for, over the figures, tables and notes that stand between. */
const lookAhead = 8;

/** Joins paragraphs that go on in the next column or on the next page. */
export function joinPassages(blocks: readonly PlacedBlock[]): PlacedBlock[] {
  const result: PlacedBlock[] = [];
  const gone = new Set<PlacedBlock>();
  const vocabulary = createVocabulary(blocks);
  for (const [index, block] of blocks.entries()) {
    if (gone.has(block)) continue;
    result.push(block.kind === "text" ? withRest(blocks, index, { gone, vocabulary }) : block);
  }
  return result;
}

interface Join {
  readonly gone: Set<PlacedBlock>;
  readonly vocabulary: () => ReadonlySet<string>;
}

function withRest(blocks: readonly PlacedBlock[], index: number, { gone, vocabulary }: Join): Passage {
  let passage = blocks[index] as Passage;
  let from = index + 1;
  for (;;) {
    const ahead = blocks.slice(from, from + lookAhead).filter((block) => !gone.has(block));
    const rest = findRest(passage, ahead);
    if (rest === undefined) return passage;
    gone.add(rest);
    passage = join(passage, rest, /[-\uAC00-\uD7A3]$/u.test(passage.text.trimEnd()) ? vocabulary() : noWords);
    from = blocks.indexOf(rest, from) + 1;
  }
}

function findRest(passage: Passage, ahead: readonly PlacedBlock[]): Passage | undefined {
  if (!isOpen(passage)) return undefined;
  for (const block of ahead) {
    if (block.kind === "table") continue;
    if (isRest(passage, block)) return block;
    if (!isFloat(passage, block)) return undefined;
  }
  return undefined;
}

function isOpen({ text, lineCount, codeText }: Passage): boolean {
  return (
    codeText === undefined && lineCount > 1 && /[\p{L}\p{N},،、，)\-–’'”\]]$/u.test(text.trimEnd()) && !isCaption(text)
  );
}

function isRest(passage: Passage, next: Passage): boolean {
  const isSameLook = Math.abs(next.look.size - passage.look.size) <= 0.5 && next.look.isBold === passage.look.isBold;
  if (!isSameLook || !isElsewhere(passage, next) || isApart(next)) return false;
  if (/^[\p{Ll}(,;\]]/u.test(next.text)) return true;
  // Arabic, Hebrew, Chinese and others have no capitals: there a sentence is open that ends without its sign.
  const isOpenEnd = /[\p{Ll}\p{Lo},،、，-]$/u.test(passage.text) && /^[\p{L}\p{N}[“"「『（]/u.test(next.text);
  return next.lineCount > 1 && isOpenEnd && next.look.fontName === passage.look.fontName;
}

// On another page, or at the head of another column.
function isElsewhere(passage: Passage, next: Passage): boolean {
  return next.page !== passage.page || next.top < passage.bottom - passage.look.size || next.left > passage.right;
}

function isApart({ mark, codeText, noteId, text }: Passage): boolean {
  return mark !== undefined || noteId !== undefined || codeText !== undefined || isCaption(text);
}

// Notes and captions, smaller than the text or in another font, stand between the parts of a paragraph.
function isFloat(passage: Passage, block: Passage): boolean {
  return (
    block.noteId !== undefined ||
    isCaption(block.text) ||
    block.look.size < passage.look.size * 0.95 ||
    (block.lineCount <= 2 && block.look.fontName !== passage.look.fontName)
  );
}

function join(passage: Passage, rest: Passage, vocabulary: ReadonlySet<string>): Passage {
  const before = passage.text.trimEnd();
  const joint = jointBetween(before.slice(-60), /^\S*/.exec(rest.text)?.[0] ?? "", vocabulary);
  const head = joint === undefined ? dropLast(passage.inlines) : passage.inlines;
  const inlines: Inline[] = [...head, ...(joint === undefined || joint === "" ? [] : [joint]), ...rest.inlines];
  const text = joint === undefined ? before.slice(0, -1) + rest.text : before + joint + rest.text;
  return { ...passage, inlines: mergeStrings(inlines), text, lineCount: passage.lineCount + rest.lineCount };
}

/** Lower-case words of the whole document, found when the first word broken between columns is met. */
function createVocabulary(blocks: readonly PlacedBlock[]): () => ReadonlySet<string> {
  let words: Set<string> | undefined;
  return () => {
    if (words !== undefined) return words;
    words = new Set();
    for (const block of blocks) {
      if (block.kind !== "text") continue;
      // What stands at the ends of passages may be half a word.
      const whole = block.text.slice(block.text.indexOf(" ") + 1, block.text.lastIndexOf(" ") + 1);
      for (const [word] of whole.toLowerCase().matchAll(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu)) words.add(word);
    }
    return words;
  };
}

const noWords: ReadonlySet<string> = new Set();

function dropLast(inlines: readonly Inline[]): Inline[] {
  const last = inlines.at(-1);
  if (last === undefined) return [];
  if (typeof last === "string") return [...inlines.slice(0, -1), last.slice(0, -1)];
  return "inlines" in last ? [...inlines.slice(0, -1), { ...last, inlines: dropLast(last.inlines) }] : [...inlines];
}
