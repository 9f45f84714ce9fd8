import { countLetters } from "../count-letters.ts";
import type { Box, PageContent } from "../page-content.ts";

/** A scan is one picture that covers nearly all of its page. */
const scanShare = 0.8;
/** What libraries and courts print on scans: `Downloaded from … on …`, a number. */
const maxLetters = 150;
/** Share of the page's height or width at each edge in which they print it. */
const marginShare = 0.1;

/** Whether all text of a page is a few words in its margins, over a picture that fills the page. */
export function isStampedScan({ glyphs, images, width, height }: PageContent): boolean {
  const page = { left: 0, top: 0, right: width, bottom: height };
  if (!images.some((image) => sharedArea(image, page) >= width * height * scanShare)) return false;
  if (glyphs.length > maxLetters * 2) return false;
  const letters = glyphs.reduce((sum, { text }) => sum + countLetters(text), 0);
  if (letters > maxLetters) return false;
  return glyphs.every(({ baseline, style }) => {
    // Glyphs stand in the frame of their direction of writing.
    const across = style.turn === 1 || style.turn === 3 ? width : height;
    return baseline <= across * marginShare || baseline >= across * (1 - marginShare);
  });
}

function sharedArea(a: Box, b: Box): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return Math.max(0, width) * Math.max(0, height);
}
