import type { Word } from "./word.ts";

/** A gap wider than this share of the em parts words; justified and kerned text stays on either side of it. */
export const wordGap = 0.16;

/** Hebrew, Arabic, Syriac, Thaana, N’Ko and their presentation forms; their digits are written to the right. */
export function isRightToLeft(text: string): boolean {
  // Most text is of scripts below those; a regular expression for each word would show.
  let at = 0;
  while (at < text.length && text.charCodeAt(at) < 0x590) at++;
  return at < text.length && /[\u0590-\u065F\u066D-\u06EF\u06FA-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/.test(text);
}

/**
 * Words of a line, given from left to right in their frame, in the order in which they are read: those that run against the
 * frame turned round, as the bidirectional algorithm (UAX #9) turned them to draw them. Lines that run one way stay as they are.
 */
export function inReadingOrder(words: readonly Word[]): readonly Word[] {
  const ordered = words.some(({ isBackward }) => isBackward) ? turnBack(words) : words;
  return ordered.some(({ text }) => isRightToLeft(text)) ? withBrackets(ordered) : ordered;
}

function turnBack(words: readonly Word[]): readonly Word[] {
  const sorted = words.toSorted((a, b) => a.left - b.left);
  // Within Arabic a line may be mostly names in Latin letters; Hebrew within English is mostly whole lines.
  const isMirrored = !sorted.some(({ isBackward, text }) => isBackward && isRightToLeft(text));
  const isMostlyBackward = lettersOf(sorted, true) > lettersOf(sorted, false) * (isMirrored ? 3 : 1);
  const base = isMostlyBackward ? sorted.toReversed() : sorted;
  const turned = turnRuns(base, (word) => (word.isBackward === true) !== isMostlyBackward && isStrong(word));
  return turned.map((word, index) => glue(word, turned[index - 1]));
}

function lettersOf(words: readonly Word[], isBackward: boolean): number {
  return words.reduce(
    (sum, word) => sum + ((word.isBackward === true) === isBackward && isStrong(word) ? word.text.length : 0),
    0,
  );
}

const letter = /\p{L}/u;

function isStrong({ text }: Word): boolean {
  return letter.test(text);
}

// Runs of words against the direction of the line, with the numbers and signs among them.
function turnRuns(words: readonly Word[], isAgainst: (word: Word) => boolean): Word[] {
  const result: Word[] = [];
  for (let at = 0; at < words.length;) {
    const from = at;
    let end = at;
    while (at < words.length && (isAgainst(words[at] as Word) || !isStrong(words[at] as Word))) {
      if (isAgainst(words[at++] as Word)) end = at;
    }
    const start = end === from ? from : firstAgainst(words, { from, end }, isAgainst);
    result.push(...words.slice(from, start), ...words.slice(start, end).toReversed());
    result.push(...words.slice(Math.max(end, from), at));
    if (at === from) result.push(words[at++] as Word);
  }
  return result;
}

// A number before the run belongs to it when it was drawn after its words: `Python 3` within Arabic.
function firstAgainst(
  words: readonly Word[],
  { from, end }: { readonly from: number; readonly end: number },
  isAgainst: (word: Word) => boolean,
): number {
  let start = from;
  while (start < end && !isAgainst(words[start] as Word)) start++;
  const before = words[start - 1];
  const first = words[start] as Word;
  const isNumber = start > from && before !== undefined && /^\p{N}/u.test(before.text);
  // Drawn alike, `5 GB` and `Python 3` are told apart by the length of the word.
  return isNumber && (before.order > first.order || /^\p{L}{4}/u.test(first.text)) ? start - 1 : start;
}

// Neighbours as they are read need not be those that were drawn in succession.
function glue(word: Word, previous: Word | undefined): Word {
  if (previous === undefined) return { ...word, isGlued: false };
  if (word.order === previous.order + 1 && !word.isBackward && !previous.isBackward) return word;
  const gap = Math.max(word.left - previous.right, previous.left - word.right);
  const em = Math.max(word.style.size, previous.style.size);
  const isSpaced = word.isAfterSpace === true || !(isLone(word) || isLone(previous));
  const isParted = word.order === previous.order + 1 && !word.isGlued && isSpaced;
  return { ...word, isGlued: !isParted && gap < em * wordGap };
}

const opening = /[([{«‹]/;
const closing = /[)\]}»›]/;
const counterparts = new Map(
  ["()", "[]", "{}", "«»", "‹›"].flatMap(([a = "", b = ""]) => [[a, b] as const, [b, a] as const]),
);

// Files disagree whether a bracket within right-to-left text stands for its shape or for its role; where it stands tells.
function withBrackets(words: readonly Word[]): readonly Word[] {
  let openCount = 0;
  return words.map((word, index) => {
    if (!isLone(word)) return isInsideOut(word) ? swapBrackets(word) : word;
    // A bracket on its own opens unless one before it is open, and closes unless one comes after it.
    const isClosing =
      openCount > 0 && !words.slice(index + 1).some((other) => other.text === word.text && isLone(other));
    const isFirst = openCount === 0 && words.slice(index + 1).some(isLone);
    if (isFirst) openCount++;
    else if (isClosing) openCount--;
    const isWrong = (isFirst && closing.test(word.text)) || (!isFirst && isClosing && opening.test(word.text));
    return isWrong ? swapBrackets(word) : word;
  });
}

function isInsideOut({ text }: Word): boolean {
  const [first, last] = [text[0] as string, text.at(-1) as string];
  if (text.length === 1) return false;
  const isOutward = closing.test(first) || opening.test(last);
  return isOutward && !opening.test(first) && !closing.test(last);
}

function isLone({ text }: Word): boolean {
  return text.length === 1 && (opening.test(text) || closing.test(text));
}

function swapBrackets(word: Word): Word {
  return { ...word, text: word.text.replaceAll(/[()[\]{}«»‹›]/g, (sign) => counterparts.get(sign) ?? sign) };
}
