import { sectionDepth } from "./section-number.ts";
import type { Passage } from "./passage.ts";

/** A title has at least so many words. */
const minWords = 4;
/** Words beyond which a title weighs no more. */
const manyWords = 10;

/**
 * The title of the document: the largest heading of several words on the first page, when nothing on later pages is as large.
 * The name of a journal or of a series, set as large, has fewer words.
 */
export function findTitle(headings: readonly Passage[], passages: readonly Passage[]): Passage | undefined {
  const firstPage = passages[0]?.page;
  const later = Math.max(0, ...headings.filter(({ page }) => page !== firstPage).map(({ look }) => look.size));
  const [title] = headings
    .filter(({ page, text, isRunIn }) => page === firstPage && isRunIn !== true && sectionDepth(text) === undefined)
    .filter(({ text }) => countWords(text) >= minWords)
    .sort((a, b) => weightOf(b) - weightOf(a));
  return title !== undefined && title.look.size > later * 1.03 ? title : undefined;
}

function weightOf({ look, text }: Passage): number {
  return look.size ** 3 * Math.min(countWords(text), manyWords);
}

// Scripts without spaces have about two characters to a word.
function countWords(text: string): number {
  const ideographs = text.match(/[\u3040-\u30FF\u3400-\u9FFF]/g)?.length ?? 0;
  return text.split(/\s+/).length + Math.floor(ideographs / 2);
}
