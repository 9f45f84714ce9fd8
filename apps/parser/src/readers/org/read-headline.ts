import { readInlines } from "./read-inlines.ts";
import type { Cursor, Scope, Taken } from "./scope.ts";

/** A headline: stars, a word of the to-do list, which is kept, a priority and tags, which are not. */
export function readHeadline({ lines, at }: Cursor, scope: Scope): Taken | undefined {
  const [, stars = "", rest = ""] = /^(\*{1,100})[ \t]+(.*)$/.exec(lines[at] ?? "") ?? [];
  if (stars === "") return undefined;
  if (/^COMMENT\b/.test(rest)) return { blocks: [], lineCount: subtreeLength(lines, at, stars.length) };
  const [word = "", ...words] = rest.split(" ");
  const isTodo = scope.todoWords.has(word);
  const title = (isTodo ? words.join(" ") : rest)
    .replace(/^\[#[A-Z\d]\][ \t]*/, "")
    .replace(/(?<![ \t])[ \t]+:[\w@#%:]{1,400}:$/, "")
    .trim();
  const text = isTodo ? `${word} ${title}` : title;
  if (text === "") return { blocks: [], lineCount: 1 };
  const level = stars.length + scope.levelShift;
  return { blocks: [{ type: "heading", level, inlines: readInlines(text, scope) }], lineCount: 1 };
}

function subtreeLength(lines: readonly string[], at: number, level: number): number {
  let end = at + 1;
  while (end < lines.length && ((/^(\*+)[ \t]/.exec(lines[end] as string)?.[1] ?? "").length || level + 1) > level)
    end++;
  return end - at;
}
