import type { NumberedPlace, NumberingCounters } from "../../containers/word-numbering.ts";
import type { ParagraphChanges } from "./paragraph-changes.ts";

/** Levels that number paragraphs simply, not as an outline does ([MS-DOC] 2.6.2 of Word 6: nLvlAnm). */
const firstSimpleLevel = 10;
const lastOldLevel = 12;

/** The place of a paragraph in a list; undefined when it is in none. */
export function placeOf(changes: ParagraphChanges, numbering: NumberingCounters): NumberedPlace | undefined {
  const { listIndex = 0, listLevel = 0 } = changes;
  const isOld = listIndex === 0 || listIndex === oldNumberingIndex;
  return isOld ? oldPlaceOf(changes) : numbering.next(String(listIndex), listLevel);
}

/** Says that the paragraph is numbered as Word 6 numbers it. */
const oldNumberingIndex = 0x7ff;

function oldPlaceOf({ oldNumbering, oldLevel = 0, indent }: ParagraphChanges): NumberedPlace | undefined {
  if (oldNumbering === undefined || oldLevel < firstSimpleLevel || oldLevel > lastOldLevel) return undefined;
  const { format, start } = oldNumbering;
  return {
    numberingId: `old ${format}`,
    level: 0,
    kind: format === "bullet" || format === "none" ? format : "ordered",
    number: start === 0 ? 1 : start,
    label: "",
    hasWords: false,
    indent,
  };
}
