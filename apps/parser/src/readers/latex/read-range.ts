import type { Block, Inline } from "../../document/document.ts";
import { expandFormula } from "./expand-formula.ts";
import { Flow } from "./flow.ts";
import { readEnvironment } from "./environments.ts";
import { literalText, plainText, readInlineCommand } from "./inline-commands.ts";
import { maxDepth, type Reading, type Scope } from "./scope.ts";
import { type Range, TexSource } from "./tex-source.ts";

const plainRun = /[^\\{}$~\n`'\-&^_#]+/y;
const ligatures: readonly (readonly [string, string])[] = [
  ["---", "—"],
  ["--", "–"],
  ["``", "“"],
  ["''", "”"],
  ["`", "‘"],
  ["'", "’"],
];
const switches: Readonly<Record<string, "strong" | "emphasis" | "code">> = {
  bf: "strong",
  bfseries: "strong",
  it: "emphasis",
  itshape: "emphasis",
  em: "emphasis",
  sl: "emphasis",
  slshape: "emphasis",
  tt: "code",
  ttfamily: "code",
};

export function createReading(source: TexSource, scope: Scope): Reading {
  const reading: Reading = {
    source,
    scope,
    blocks: (range) => readRange(range, deeper(reading), false),
    inlines: (range) => loneMacro(source.slice(range), scope) ?? toInlines(readRange(range, deeper(reading), true)),
  };
  return reading;
}

// An argument that is one macro, as in `\v\i`: it has no arguments of its own, which would lie outside.
function loneMacro(text: string, { macros }: Scope): Inline[] | undefined {
  const name = text.length > maxMacroLength ? undefined : /^\\([A-Za-z]+|[^A-Za-z])$/.exec(text)?.[1];
  if (name === undefined || macros.has(name)) return undefined;
  const symbol = literalText(name);
  return symbol === undefined ? [] : [symbol];
}

const maxMacroLength = 61;

function deeper({ source, scope }: Reading): Reading {
  return createReading(source, { ...scope, depth: scope.depth + 1 });
}

function toInlines(blocks: readonly Block[]): Inline[] {
  const runs = blocks.flatMap((block): Inline[][] => {
    if (block.type === "paragraph" || block.type === "heading") return [[...block.inlines]];
    if (block.type === "image") return [[block]];
    if (block.type === "formula" || block.type === "code")
      return [[block.type === "code" ? { type: "code", text: block.text } : block]];
    return [];
  });
  return runs.flatMap((run, index) => (index === 0 ? run : [" ", ...run]));
}

// `isGroup`: the stretch is an argument or a group, so that a switch of the font ends with it.
function readRange(range: Range, reading: Reading, isGroup: boolean): Block[] {
  const flow = new Flow();
  if (reading.scope.depth > maxDepth) {
    flow.text(reading.source.slice(range));
    flow.endParagraph();
    return flow.blocks;
  }
  let at = range.from;
  while (at < range.to) at = Math.max(at + 1, step({ range: { from: at, to: range.to }, flow, isGroup }, reading));
  flow.endParagraph();
  return flow.blocks;
}

interface Place {
  readonly range: Range;
  readonly flow: Flow;
  readonly isGroup: boolean;
}

// Reads what stands at the beginning of the range and returns the position after it.
function step(place: Place, reading: Reading): number {
  const { range, flow } = place;
  const { source } = reading;
  const at = range.from;
  const run = sticky(plainRun, source.text, at);
  if (run !== "") {
    flow.text(run.slice(0, range.to - at));
    return at + run.length;
  }
  switch (source.text[at]) {
    case "\\":
      return readCommand(place, reading);
    case "{":
      return readGroup(place, reading);
    case "$":
      return readDollars(place, reading);
    case "\n":
      return readNewlines(place, reading);
    case "~":
      flow.text("\u00a0");
      return at + 1;
    case "}":
    case "&":
      flow.text(" ");
      return at + 1;
    default:
      return readLigature(place, reading);
  }
}

function sticky(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

function readLigature({ range, flow }: Place, { source }: Reading): number {
  const found = ligatures.find(([signs]) => source.text.startsWith(signs, range.from));
  const [signs, character] = found ?? [source.text[range.from] ?? "", source.text[range.from] ?? ""];
  flow.text(character);
  return range.from + signs.length;
}

function readNewlines({ range, flow }: Place, { source }: Reading): number {
  const blank = sticky(/\n[ \t\n]*/y, source.text, range.from);
  if (blank.indexOf("\n", 1) === -1) flow.text(" ");
  else flow.endParagraph();
  return range.from + blank.length;
}

function readGroup({ range, flow }: Place, reading: Reading): number {
  const group = reading.source.groupAt(range.from);
  if (group === undefined || group.to > range.to) return range.from + 1;
  const blocks = readRange(group, deeper(reading), true);
  const only = blocks[0];
  if (blocks.length === 1 && only?.type === "paragraph") {
    if (/^\s/.test(reading.source.text.slice(group.from, group.from + 1))) flow.text(" ");
    only.inlines.forEach((inline) => flow.inline(inline));
    if (/\s$/.test(reading.source.text.slice(group.to - 1, group.to))) flow.text(" ");
  } else blocks.forEach((block) => (block.type === "image" ? flow.inline(block) : flow.block(block)));
  return group.to + 1;
}

const maxFormulaLength = 4000;

function readDollars({ range, flow }: Place, reading: Reading): number {
  const { source } = reading;
  const at = range.from;
  const sign = source.text.startsWith("$$", at) ? "$$" : "$";
  const from = at + sign.length;
  const body = source.text.slice(from, Math.min(range.to, from + (sign === "$" ? maxInlineLength : maxFormulaLength)));
  const length = closingDollar(body, sign);
  if (length === -1) {
    flow.text("$");
    return at + 1;
  }
  const text = expandFormula(body.slice(0, length), reading.scope);
  if (sign === "$$") flow.block({ type: "formula", notation: "latex", text });
  else flow.inline({ type: "formula", notation: "latex", text });
  return from + length + sign.length;
}

const maxInlineLength = 1000;

function closingDollar(body: string, sign: string): number {
  for (let at = body.indexOf(sign); at !== -1; at = body.indexOf(sign, at + 1)) {
    if (body[at - 1] !== "\\") return at;
  }
  return -1;
}

function readCommand(place: Place, reading: Reading): number {
  const { source } = reading;
  const from = place.range.from;
  const name = sticky(/(?:[A-Za-z]{1,60}|[\s\S])/y, source.text, from + 1);
  const at = from + 1 + name.length;
  if (name === "begin" || name === "end") {
    const end = name === "begin" ? readEnvironment(from, place.flow, reading) : undefined;
    return end ?? at + sticky(/\{[^{}\n]{0,60}\}/y, source.text, at).length;
  }
  if (name === "(" || name === "[") return readDelimitedFormula(name, startingAt(at, place), reading);
  // A macro takes the spaces after its name with it.
  const after = /^[A-Za-z]/.test(name) ? at + sticky(/[ \t]{0,100}/y, source.text, at).length : at;
  return readNamed(name, startingAt(after, place), reading);
}

function startingAt(from: number, place: Place): Place {
  return { ...place, range: { from, to: place.range.to } };
}

function readNamed(name: string, place: Place, reading: Reading): number {
  const { scope } = reading;
  const after = place.range.from;
  if (scope.levels.has(name)) return readHeading(name, place, reading);
  if (place.isGroup && Object.hasOwn(switches, name)) return readSwitch(name, place, reading);
  if (breaks.has(name)) return readBreak(name, place, reading);
  const piece = name === "verbatimpiece" ? readPiece(place, reading) : undefined;
  if (piece !== undefined) return piece;
  if (scope.macros.has(name)) {
    expandMacro(name, place.flow, reading);
    return after;
  }
  const { inlines, end } = readInlineCommand(name, after, reading);
  inlines.forEach((inline) => place.flow.inline(inline));
  return end;
}

const breaks = new Set(["\\", "newline", "par", "newpage", "clearpage"]);

function readBreak(name: string, { range, flow }: Place, { source }: Reading): number {
  if (name === "\\" || name === "newline") {
    flow.inline({ type: "lineBreak" });
    return source.optionAt(range.from).end;
  }
  flow.endParagraph();
  return range.from;
}

function readPiece({ range, flow }: Place, { source, scope }: Reading): number | undefined {
  const argument = source.argumentAt(range.from);
  const piece = argument && source.pieces[Number(source.slice(argument.range))];
  if (argument === undefined || piece === undefined || piece.isInline) return undefined;
  const { language, text } = piece;
  if (language === "tikz" && text === "") scope.context.warn("A drawing made of TikZ commands was left out.");
  else flow.block({ type: "code", text, ...(language !== undefined && { language }) });
  return argument.end;
}

function readHeading(name: string, { range, flow }: Place, reading: Reading): number {
  const { source, scope } = reading;
  const star = source.text[range.from] === "*" ? range.from + 1 : range.from;
  const argument = source.argumentAt(source.optionAt(star).end);
  if (argument === undefined) return star;
  flow.block({ type: "heading", level: scope.levels.get(name) ?? 1, inlines: reading.inlines(argument.range) });
  return argument.end;
}

function readDelimitedFormula(open: string, { range, flow }: Place, { source, scope }: Reading): number {
  const close = open === "(" ? "\\)" : "\\]";
  const limit = open === "(" ? maxInlineLength : maxFormulaLength;
  const body = source.text.slice(range.from, Math.min(range.to, range.from + limit));
  const length = body.indexOf(close);
  if (length === -1) return range.from;
  const text = expandFormula(body.slice(0, length), scope);
  if (open === "[") flow.block({ type: "formula", notation: "latex", text });
  else flow.inline({ type: "formula", notation: "latex", text });
  return range.from + length + close.length;
}

// `{\bf text}`: the switch holds to the end of its group.
function readSwitch(name: string, { range, flow }: Place, reading: Reading): number {
  const type = switches[name] ?? "strong";
  const inlines = reading.inlines(range);
  if (type === "code") flow.inline({ type, text: plainText(inlines) });
  else if (inlines.length > 0) flow.inline({ type, inlines });
  return range.to;
}

function expandMacro(name: string, flow: Flow, { scope, source }: Reading): void {
  const body = scope.macros.get(name) ?? "";
  if (body.length > scope.expansion.lengthLeft) return;
  scope.expansion.lengthLeft -= body.length + 1;
  const inner = createReading(new TexSource(body, source.pieces), { ...scope, depth: scope.depth + 8 });
  inner.inlines({ from: 0, to: body.length }).forEach((inline) => flow.inline(inline));
}
