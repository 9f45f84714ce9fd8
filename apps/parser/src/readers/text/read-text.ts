import type { Block } from "../../document/document.ts";
import { readInputText } from "../../text/read-input-text.ts";
import type { ReadDocument } from "../reader.ts";
import { readLines } from "./read-lines.ts";

/**
 * Paragraphs of plain text: hard-wrapped prose is joined, lines that stand for themselves keep their ends, tables drawn with
 * spaces and code keep every space. A form feed begins a page.
 */
export const readText: ReadDocument = (input, context) => {
  const pages = readInputText(input, context)
    .split("\f")
    .map((page) => page.split("\n").map((line) => line.trimEnd()));
  if (pages.at(-1)?.every((line) => line === "") === true) pages.pop();
  const isPaged = pages.length > 1;
  return {
    metadata: isPaged ? { pageCount: pages.length } : {},
    blocks: pages.flatMap((lines, index): Block[] => [
      ...(isPaged ? [{ type: "pageBreak", number: index + 1 } as const] : []),
      ...readLines(lines),
    ]),
  };
};
