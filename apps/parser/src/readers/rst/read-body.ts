import type { Block } from "../../document/document.ts";
import { dedent, indentOf, takeIndented } from "../../text/indented-lines.ts";
import { joinLines } from "../../text/join-lines.ts";
import { readExplicit } from "./read-explicit.ts";
import { readGridTable, readSimpleTable } from "./read-tables.ts";
import { readInlines } from "./read-inlines.ts";
import { readBulletList, readEnumeration, readFieldList } from "./read-lists.ts";
import { type BlockRule, type Cursor, maxDepth, readNested, type Scope, type Taken } from "./scope.ts";

const adornment = /^([!-/:-@[-`{-~])\1{1,}\s*$/;

/** Blocks of the body of a document, a list item, a cell: whatever stands at one indent. */
export function readBody(lines: readonly string[], scope: Scope): Block[] {
  const blocks: Block[] = [];
  const rules = scope.depth > maxDepth ? [readParagraph] : allRules;
  let at = 0;
  while (at < lines.length) {
    if ((lines[at] as string).trim() === "") {
      at++;
      continue;
    }
    const taken = firstTaken({ lines, at }, scope, rules);
    for (const block of taken.blocks) blocks.push(block);
    at += Math.max(1, taken.lineCount);
  }
  return blocks;
}

function firstTaken(cursor: Cursor, scope: Scope, rules: readonly BlockRule[]): Taken {
  for (const rule of rules) {
    const taken = rule(cursor, scope);
    if (taken !== undefined) return taken;
  }
  return { blocks: [], lineCount: 1 };
}

const readQuote: BlockRule = ({ lines, at }, scope) => {
  if (indentOf(lines[at] ?? "") === 0) return undefined;
  const quoted = takeIndented(lines, at, 1);
  const blocks = readNested(dedent(quoted), scope);
  // A list that is merely set in quotes nobody.
  const isList = blocks.every(({ type }) => type === "list");
  return { blocks: isList ? blocks : [{ type: "quote", blocks }], lineCount: quoted.length };
};

const readTitle: BlockRule = ({ lines, at }, scope) => {
  const [first, second, third] = [lines[at] ?? "", lines[at + 1] ?? "", lines[at + 2] ?? ""];
  if (isRule(first)) {
    const isOverlined = second.trim() !== "" && third === first && first.length >= second.trim().length;
    return isOverlined
      ? { blocks: [titleBlock(second.trim(), `${first[0]}${first[0]}`, scope)], lineCount: 3 }
      : undefined;
  }
  const isUnderlined = isRule(second) && indentOf(first) === 0 && second.length >= Math.min(first.length, 4);
  return isUnderlined ? { blocks: [titleBlock(first.trim(), second[0] ?? "", scope)], lineCount: 2 } : undefined;
};

function isRule(line: string): boolean {
  return line.length >= 2 && adornment.test(line);
}

function titleBlock(text: string, style: string, scope: Scope): Block {
  if (!scope.titleStyles.includes(style)) scope.titleStyles.push(style);
  const level = scope.titleStyles.indexOf(style) + 1;
  return { type: "heading", level, inlines: readInlines(text, scope) };
}

// A line of signs between blank lines parts the text, and says nothing.
const readTransition: BlockRule = ({ lines, at }) => {
  const isAlone = (lines[at + 1] ?? "").trim() === "";
  return isAlone && isRule((lines[at] ?? "").trimEnd()) && (lines[at] ?? "").length >= 4
    ? { blocks: [], lineCount: 1 }
    : undefined;
};

const readLineBlock: BlockRule = ({ lines, at }, scope) => {
  if (!/^\|(?: |$)/.test(lines[at] ?? "")) return undefined;
  let end = at;
  while (/^(?:\|(?: |$)|\s+\S)/.test(lines[end] ?? "")) end++;
  const inlines = lines.slice(at, end).flatMap((line, index) => {
    const isNew = line.startsWith("|");
    const text = readInlines(line.slice(isNew ? 1 : 0).trim(), scope);
    return index === 0 ? text : [isNew ? ({ type: "lineBreak" } as const) : " ", ...text];
  });
  return { blocks: [{ type: "paragraph", inlines }], lineCount: end - at };
};

const readDoctest: BlockRule = ({ lines, at }) => {
  if (!(lines[at] ?? "").startsWith(">>> ")) return undefined;
  let end = at;
  while (end < lines.length && (lines[end] as string).trim() !== "") end++;
  return { blocks: [{ type: "code", language: "python", text: lines.slice(at, end).join("\n") }], lineCount: end - at };
};

// A term directly above an indented definition.
const readDefinition: BlockRule = ({ lines, at }, scope) => {
  const next = lines[at + 1] ?? "";
  const term = (lines[at] ?? "").trimEnd();
  if (next.trim() === "" || indentOf(next) === 0 || term.endsWith("::")) return undefined;
  const definition = takeIndented(lines, at + 1, 1);
  return {
    blocks: [
      { type: "paragraph", inlines: [{ type: "strong", inlines: readInlines(term, scope) }] },
      ...readNested(dedent(definition), scope),
    ],
    lineCount: 1 + definition.length,
  };
};

const readParagraph: BlockRule = ({ lines, at }, scope) => {
  let end = at;
  while (
    end < lines.length &&
    (lines[end] as string).trim() !== "" &&
    (end === at || indentOf(lines[end] as string) === 0)
  ) {
    end++;
  }
  const joined = joinLines(lines.slice(at, end).map((line) => line.trim()));
  const isBefore = joined.endsWith("::");
  const text = isBefore ? joined.replace(/(?:^|\s+)::$/, "").replace(/::$/, ":") : joined;
  const literal = isBefore ? literalBlock(lines, end) : undefined;
  const paragraph: Block[] = text === "" ? [] : [{ type: "paragraph", inlines: readInlines(text, scope) }];
  return { blocks: [...paragraph, ...(literal?.blocks ?? [])], lineCount: end - at + (literal?.lineCount ?? 0) };
};

// After `::`: an indented block, or lines that all begin with the same quoting sign.
function literalBlock(lines: readonly string[], from: number): Taken | undefined {
  let start = from;
  while (start < lines.length && (lines[start] as string).trim() === "") start++;
  const sign = /^[!-/:-@[-`{-~]/.exec(lines[start] ?? "")?.[0];
  let block: readonly string[] = indentOf(lines[start] ?? "") > 0 ? takeIndented(lines, start, 1) : [];
  if (block.length === 0 && sign !== undefined) {
    let end = start;
    while ((lines[end] ?? "").startsWith(sign)) end++;
    block = lines.slice(start, end);
  }
  if (block.length === 0) return undefined;
  return { blocks: [{ type: "code", text: dedent(block).join("\n") }], lineCount: start - from + block.length };
}

const allRules: readonly BlockRule[] = [
  readExplicit,
  readQuote,
  readGridTable,
  readSimpleTable,
  readTitle,
  readTransition,
  readBulletList,
  readEnumeration,
  readFieldList,
  readLineBlock,
  readDoctest,
  readDefinition,
  readParagraph,
];
