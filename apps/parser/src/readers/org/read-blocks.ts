import type { Block } from "../../document/document.ts";
import { dedent } from "../../text/indented-lines.ts";
import { joinLines } from "../../text/join-lines.ts";
import { readGreaterBlock } from "./read-greater-block.ts";
import { readHeadline } from "./read-headline.ts";
import { readInlines } from "./read-inlines.ts";
import { readList } from "./read-lists.ts";
import { readTable } from "./read-table.ts";
import { type Cursor, maxDepth, readNested, type Scope, type Taken } from "./scope.ts";

const keyword = /^\s*#\+(\w[\w-]{0,40})(?:\[[^\]]{0,200}\])?:[ \t]*(.*)$/;
const drawer = /^\s*:([\w-]{1,60}):\s*$/;
const noteDefinition = /^\[fn:([\w-]{1,60})\][ \t]*/;
const environment = /^\s*\\begin\{([\w*]{1,40})\}/;

type BlockRule = (cursor: Cursor, scope: Scope) => Taken | undefined;

/** Blocks of a document, or of what stands inside an item or a block. */
export function readBlocks(lines: readonly string[], scope: Scope): Block[] {
  const blocks: Block[] = [];
  const rules = scope.depth > maxDepth ? [readParagraph] : allRules;
  let at = 0;
  let caption = "";
  while (at < lines.length) {
    const line = lines[at] as string;
    const [, name = "", value = ""] = keyword.exec(line.slice(0, 4000)) ?? [];
    if (name.toLowerCase() === "caption") {
      caption = caption === "" ? value : `${caption} ${value}`;
      at++;
      continue;
    }
    const taken = firstTaken({ lines, at }, rules, scope);
    for (const block of taken.blocks) blocks.push(caption === "" ? block : withCaption(block, caption, scope));
    if (taken.blocks.length > 0) caption = "";
    at += Math.max(1, taken.lineCount);
  }
  return blocks;
}

function firstTaken(cursor: Cursor, rules: readonly BlockRule[], scope: Scope): Taken {
  for (const rule of rules) {
    const taken = rule(cursor, scope);
    if (taken !== undefined) return taken;
  }
  return { blocks: [], lineCount: 1 };
}

function withCaption(block: Block, caption: string, scope: Scope): Block {
  const inlines = readInlines(caption, scope);
  if (block.type === "table") return { ...block, caption: inlines };
  if (block.type === "image") return { ...block, caption: inlines };
  return block;
}

const readBlank: BlockRule = ({ lines, at }) =>
  (lines[at] ?? "").trim() === "" ? { blocks: [], lineCount: 1 } : undefined;

// Comments, rules, planning lines and clocks are no text.
const readSilent: BlockRule = ({ lines, at }) => {
  const line = lines[at] ?? "";
  const isSilent = /^\s*(?:#(?:\s|$)|-{5,}\s*$|(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):[ \t]*[<["])/.test(line);
  return isSilent ? { blocks: [], lineCount: 1 } : undefined;
};

const readKeyword: BlockRule = ({ lines, at }, scope) => {
  const match = keyword.exec((lines[at] ?? "").slice(0, 4000));
  if (match === null) return undefined;
  const name = (match[1] ?? "").toLowerCase();
  if (name === "include") scope.context.warn("The text includes another file, which is not read.");
  if (!scope.keywords.has(name)) scope.keywords.set(name, (match[2] ?? "").trim());
  return { blocks: [], lineCount: 1 };
};

const readDrawer: BlockRule = ({ lines, at }) => {
  const name = drawer.exec(lines[at] ?? "")?.[1];
  if (name === undefined || name.toUpperCase() === "END") return undefined;
  const limit = Math.min(lines.length, at + maxDrawerLines);
  for (let end = at + 1; end < limit; end++) {
    if (/^\s*:END:\s*$/i.test(lines[end] as string)) return { blocks: [], lineCount: end - at + 1 };
    if (/^\*+ /.test(lines[end] as string)) break;
  }
  return undefined;
};

const maxDrawerLines = 10_000;

const readNote: BlockRule = ({ lines, at }, scope) => {
  const match = noteDefinition.exec(lines[at] ?? "");
  if (match === null) return undefined;
  let end = at + 1;
  while (end < lines.length && !endsNote(lines, end)) end++;
  const body = [(lines[at] ?? "").slice(match[0].length), ...lines.slice(at + 1, end)];
  scope.notes.push({ type: "footnote", id: match[1] ?? "", blocks: readNested(body, scope) });
  return { blocks: [], lineCount: end - at };
};

function endsNote(lines: readonly string[], at: number): boolean {
  const line = lines[at] as string;
  const isTwoBlank = line.trim() === "" && (lines[at + 1] ?? "").trim() === "";
  return isTwoBlank || noteDefinition.test(line) || /^\*+ /.test(line);
}

const readFixedWidth: BlockRule = ({ lines, at }) => {
  let end = at;
  while (/^\s*:(?: |$)/.test(lines[end] ?? "")) end++;
  if (end === at) return undefined;
  const text = lines.slice(at, end).map((line) => line.replace(/^\s*: ?/, ""));
  return { blocks: [{ type: "code", text: text.join("\n") }], lineCount: end - at };
};

const readEnvironment: BlockRule = ({ lines, at }) => {
  const name = environment.exec(lines[at] ?? "")?.[1];
  if (name === undefined) return undefined;
  const limit = Math.min(lines.length, at + maxEnvironmentLines);
  for (let end = at; end < limit; end++) {
    if ((lines[end] as string).includes(`\\end{${name}}`)) {
      const text = dedent(lines.slice(at, end + 1))
        .join("\n")
        .trim();
      return { blocks: [{ type: "formula", notation: "latex", text }], lineCount: end - at + 1 };
    }
  }
  return undefined;
};

const maxEnvironmentLines = 1000;

const readParagraph: BlockRule = ({ lines, at }, scope) => {
  let end = at + 1;
  while (end < lines.length && !endsParagraph(lines[end] as string)) end++;
  const own = lines.slice(at, end).map((line) => line.trim());
  const text = joinLines(own.map((line) => (line.endsWith("\\\\") ? `${line}\u2028` : line)));
  const inlines = readInlines(text, scope);
  const only = inlines[0];
  if (inlines.length === 1 && typeof only === "object" && only.type === "image")
    return { blocks: [only], lineCount: end - at };
  return { blocks: [{ type: "paragraph", inlines }], lineCount: end - at };
};

function endsParagraph(line: string): boolean {
  return /^\s*$|^\*+ |^\s*(?:[-+][ \t]|\d{1,6}[.)][ \t]|\||#\+\w|:(?: |$)|\\begin\{)|^\[fn:[\w-]+\]/.test(line);
}

const allRules: readonly BlockRule[] = [
  readBlank,
  readHeadline,
  readGreaterBlock,
  readKeyword,
  readSilent,
  readDrawer,
  readNote,
  readFixedWidth,
  readTable,
  readList,
  readEnvironment,
  readParagraph,
];
