import { AppError } from "@attune/service-kit/app-error.ts";
import type { ConstructName } from "./parse-markdown.ts";

// Marks of one kind in one paragraph beyond which matching them, which takes time in the square of their number, is given
// up. Prose has a few dozen.
const maxMarks = 3000;

// Definitions of links and notes in one document, each compared with all others.
const maxDefinitions = 20_000;

/**
 * Which constructs to leave unread because some paragraph has so many of their marks that reading them would not end in
 * reasonable time; their marks then stay as text.
 * @throws AppError `LIMIT_EXCEEDED` when quotes or lists stand more than `maxDepth` deep at the start of a line, or there
 *   are more than 20,000 definitions.
 */
export function boundMarkup(text: string, maxDepth: number): ConstructName[] {
  const worst = { emphasis: 0, brackets: 0, tags: 0 };
  let paragraph = { ...worst };
  let definitionCount = 0;
  const listIndents: number[] = [];
  for (const line of linesOf(text)) {
    if (line.trim() === "") paragraph = { emphasis: 0, brackets: 0, tags: 0 };
    assertDepth(line, maxDepth);
    if (nestLists(listIndents, line) > maxDepth) throw tooDeep(maxDepth);
    paragraph.emphasis += countOf(line, "*") + countOf(line, "_") + countOf(line, "~");
    paragraph.brackets += countOf(line, "[") + countOf(line, "]");
    paragraph.tags += countOf(line, "<");
    worst.emphasis = Math.max(worst.emphasis, paragraph.emphasis);
    worst.brackets = Math.max(worst.brackets, paragraph.brackets);
    worst.tags = Math.max(worst.tags, paragraph.tags);
    if (isDefinition(line)) {
      paragraph.brackets = 0; // its brackets are matched within it
      definitionCount++;
    }
  }
  if (definitionCount > maxDefinitions)
    throw new AppError("LIMIT_EXCEEDED", {
      detail: `It has more than ${maxDefinitions} definitions of links or notes.`,
    });
  return [
    ...(worst.emphasis > maxMarks ? emphasisConstructs : []),
    ...(worst.brackets > maxMarks ? bracketConstructs : []),
    ...(worst.tags > maxMarks ? (["htmlText"] as const) : []),
  ];
}

function isDefinition(line: string): boolean {
  return line.includes("]:") && /^[ \t>]*\[/.test(line);
}

const emphasisConstructs = ["attention", "strikethrough"] as const;
const bracketConstructs = [
  "labelStartLink",
  "labelStartImage",
  "labelEnd",
  "gfmFootnoteCall",
  "gfmPotentialFootnoteCall",
] as const;

function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

// A rule across the page (`* * *`) looks like lists in lists but is one thing.
const thematicBreak = /^[ \t]*([-*_])(?:[ \t]*\1)*[ \t]*$/;
const containerMark = /[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y;

function assertDepth(line: string, maxDepth: number): void {
  if (line.length <= maxDepth || thematicBreak.test(line)) return;
  containerMark.lastIndex = 0;
  let depth = 0;
  while (containerMark.test(line)) {
    depth++;
    if (depth > maxDepth) throw tooDeep(maxDepth);
  }
}

const listItem = /^([ \t]*)(?:[-+*]|\d{1,9}[.)])(?=[ \t])/;

/** Follows by indentation how deep lists lie in lists; `indents` are those of the lists that are open. The depth. */
function nestLists(indents: number[], line: string): number {
  const match = listItem.exec(line);
  if (match === null) return indents.length;
  const indent = match[1]?.replaceAll("\t", "    ").length ?? 0;
  while ((indents.at(-1) ?? -1) >= indent) indents.pop();
  return indents.push(indent);
}

function tooDeep(maxDepth: number): AppError {
  const detail = `It has quotes or lists nested more than ${maxDepth} deep (PARSER_MAX_MARKUP_DEPTH).`;
  return new AppError("LIMIT_EXCEEDED", { detail });
}

function countOf(line: string, char: string): number {
  let count = 0;
  for (let at = line.indexOf(char); at !== -1; at = line.indexOf(char, at + 1)) count++;
  return count;
}
