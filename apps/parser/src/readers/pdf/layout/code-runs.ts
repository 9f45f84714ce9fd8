import type { Code } from "../../../document/document.ts";
import type { Passage } from "./passage.ts";

/** Width of a letter of monospaced fonts, in ems: exactly so in Courier, nearly so in the others. */
const letterWidth = 0.6;
/** Distance between passages, in ems, that is a line left blank. */
const blankLine = 0.9;
const maxIndent = 200;

/** How many of the passages make one piece of code: those in a monospaced font below one another. */
export function countCode(passages: readonly Passage[]): number {
  const first = passages[0];
  let count = 0;
  while (passages[count]?.codeText !== undefined && passages[count]?.page === first?.page) count++;
  return count > 1 || (count === 1 && (first?.lineCount ?? 0) > 1) ? count : 0;
}

/** One piece of code of passages, with the indents between them and a blank line where one was left. */
export function toCode(passages: readonly Passage[]): Omit<Code, "source"> {
  const margin = Math.min(...passages.map(({ left }) => left));
  let text = "";
  for (const [index, { codeText = "", left, top, look }] of passages.entries()) {
    const above = passages[index - 1];
    if (above !== undefined) text += top - above.bottom > look.size * blankLine ? "\n\n" : "\n";
    const columns = Math.min(maxIndent, Math.round((left - margin) / Math.max(1, look.size * letterWidth)));
    const indent = " ".repeat(columns);
    text += codeText
      .split("\n")
      .map((line) => indent + line)
      .join("\n");
  }
  return { type: "code", text };
}
