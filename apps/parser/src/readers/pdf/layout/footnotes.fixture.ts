import type { Inline } from "../../../document/document.ts";
import { plainText } from "./compose-inlines.ts";
import { tieFootnotes } from "./footnotes.ts";
import { passageOf } from "./geometry.fixture.ts";
import type { Passage } from "./passage.ts";

/** What becomes of pages with texts, notes in smaller type below them, and further texts below those. */
export function footnoteShape(
  texts: readonly (readonly Inline[])[],
  notes: readonly (readonly Inline[])[],
  { below = [], pageCount = 1 }: { readonly below?: readonly string[]; readonly pageCount?: number } = {},
): unknown[] {
  const passages: Passage[] = [];
  for (let page = 1; page <= pageCount; page++) {
    let top = 0;
    const add = (inlines: readonly Inline[], size: number) => {
      top += 50;
      passages.push(passageOf(plainText(inlines), { page, inlines, top, bottom: top + 40, look: { size } }));
    };
    add(["Most of the text of this page is of this size, so that it is known what is smaller."], 10);
    for (const inlines of texts) add(inlines, 10);
    for (const inlines of notes) add(inlines, 8);
    for (const text of below) add([text], 10);
  }
  const shapes = tieFootnotes(passages).map((block) => {
    const { inlines, noteId } = block as Passage;
    return noteId === undefined ? inlines : { [noteId]: inlines };
  });
  return shapes.filter((_, index) => index % (shapes.length / pageCount) > 0);
}
