import type { StoryLengths } from "./fib.ts";
import type { TextRange } from "./walk-paragraphs.ts";

export type Stories = Readonly<Record<keyof StoryLengths, TextRange>>;

/** Where each story stands in the text; what reaches beyond the text that there is ends with it ([MS-DOC] 2.4.1). */
export function storiesOf(lengths: StoryLengths, textLength: number): Stories {
  const stories: Partial<Record<keyof StoryLengths, TextRange>> = {};
  let start = 0;
  for (const name of order) {
    const end = Math.min(textLength, start + lengths[name]);
    stories[name] = { start, end };
    start = end;
  }
  return stories as Stories;
}

const order = [
  "main",
  "footnotes",
  "headers",
  "macros",
  "comments",
  "endnotes",
  "textBoxes",
  "headerTextBoxes",
] as const satisfies readonly (keyof StoryLengths)[];
