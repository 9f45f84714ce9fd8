import type { Block, Inline, ListItem } from "../../document/document.ts";
import { expandFormula } from "./expand-formula.ts";
import type { Flow } from "./flow.ts";
import { readTabular } from "./read-tabular.ts";
import type { Reading } from "./scope.ts";
import type { Environment, Range } from "./tex-source.ts";

const formulas =
  /^(?:equation|displaymath|math|align|aligned|alignat|flalign|gather|multline|eqnarray|dmath|subequations|split|cases)\*?$/;
const tables = /^(?:tabular|tabularx|tabulary|longtable|supertabular|tabu|longtabu|array|tblr)\*?$/;
const floats =
  /^(?:figure|table|wrapfigure|wraptable|sidewaystable|sidewaysfigure|subfigure|subtable|algorithm|listing)\*?$/;
const quotes = /^(?:quote|quotation|displayquote|epigraph)$/;
const lists = /^(?:itemize|enumerate|description|compactitem|compactenum|inparaenum|tasks)\*?$/;
const titled: Readonly<Record<string, string>> = {
  abstract: "Abstract",
  theorem: "Theorem",
  lemma: "Lemma",
  proposition: "Proposition",
  corollary: "Corollary",
  definition: "Definition",
  example: "Example",
  remark: "Remark",
  note: "Note",
  proof: "Proof",
  exercise: "Exercise",
  solution: "Solution",
  keywords: "Keywords",
  acknowledgments: "Acknowledgments",
  acknowledgements: "Acknowledgements",
};
/** Environments with arguments that are about the layout, and how many. */
const layoutArguments: Readonly<Record<string, number>> = {
  minipage: 1,
  multicols: 1,
  adjustbox: 1,
  spacing: 1,
  columns: 0,
  column: 1,
  textblock: 1,
  tcolorbox: 0,
};

/** Reads the environment that begins at a position into the flow; the position after it, or undefined when it has no end. */
export function readEnvironment(at: number, flow: Flow, reading: Reading): number | undefined {
  const environment = reading.source.environmentAt(at);
  if (environment === undefined) return undefined;
  if (environment.name === "math") {
    flow.inline({
      type: "formula",
      notation: "latex",
      text: expandFormula(reading.source.slice(environment), reading.scope),
    });
  } else for (const block of toBlocks(environment, reading)) flow.block(block);
  return environment.end;
}

function toBlocks(environment: Environment, reading: Reading): Block[] {
  const { name } = environment;
  if (formulas.test(name)) return [toFormula(environment, reading)];
  if (tables.test(name)) return readTabular(environment, reading);
  if (lists.test(name)) return [toList(environment, reading)];
  if (name === "thebibliography") return [toBibliography(environment, reading)];
  if (floats.test(name)) return toFloat(environment, reading);
  if (quotes.test(name) || name === "verse") return [{ type: "quote", blocks: reading.blocks(environment) }];
  if (Object.hasOwn(titled, name)) return toTitled(titled[name] ?? "", environment, reading);
  if (name === "frame") return toFrame(environment, reading);
  return reading.blocks(withoutArguments(environment, layoutArguments[name] ?? 0, reading));
}

// Aligned formulas need their environment to be read; `equation` is only a box around one formula.
function toFormula(environment: Environment, { source, scope }: Reading): Block {
  const { name } = environment;
  const inner = expandFormula(source.slice(environment), scope);
  const isBox = /^(?:equation|displaymath|dmath|subequations)\*?$/.test(name);
  const text = isBox ? inner : `\\begin{${name}}\n${inner}\n\\end{${name}}`;
  return { type: "formula", notation: "latex", text };
}

function withoutArguments({ from, to }: Range, count: number, { source }: Reading): Range {
  let at = source.optionAt(from).end;
  for (let left = count; left > 0; left--) at = source.argumentAt(source.optionAt(at).end)?.end ?? at;
  return { from: Math.min(at, to), to };
}

interface Item {
  readonly label: Range | undefined;
  readonly body: Range;
}

// Items of this list alone: those of lists inside it belong to them.
function itemsOf(environment: Environment, { source }: Reading, command: string): Item[] {
  const starts: { at: number; from: number; label: Range | undefined }[] = [];
  const pattern = new RegExp(`\\\\(?:${command}(?![A-Za-z])|begin\\{)|\\\\[\\\\]`, "g");
  pattern.lastIndex = environment.from;
  let match = pattern.exec(source.text);
  while (match !== null && match.index < environment.to) {
    const inner = match[0].startsWith("\\begin") ? source.environmentAt(match.index) : undefined;
    if (inner !== undefined) pattern.lastIndex = inner.end;
    else if (match[0].startsWith(`\\${command}`)) {
      const option = source.optionAt(match.index + match[0].length);
      starts.push({ at: match.index, from: option.end, label: option.range });
    }
    match = pattern.exec(source.text);
  }
  return starts.map(({ from, label }, index) => ({
    label,
    body: { from, to: Math.max(from, Math.min(starts[index + 1]?.at ?? environment.to, environment.to)) },
  }));
}

function toList(environment: Environment, reading: Reading): Block {
  const items = itemsOf(environment, reading, "item").map(({ label, body }): ListItem => {
    const blocks = reading.blocks(body);
    return { blocks: label === undefined ? blocks : labelled(reading.inlines(label), blocks) };
  });
  return { type: "list", ordered: /enum/.test(environment.name), items };
}

function labelled(label: readonly Inline[], [first, ...rest]: readonly Block[]): Block[] {
  const strong: Inline = { type: "strong", inlines: label };
  if (first?.type === "paragraph") return [{ type: "paragraph", inlines: [strong, " ", ...first.inlines] }, ...rest];
  return [{ type: "paragraph", inlines: [strong] }, ...(first === undefined ? [] : [first]), ...rest];
}

function toBibliography(environment: Environment, reading: Reading): Block {
  const { source } = reading;
  const items = itemsOf(environment, reading, "bibitem").map(({ body }): ListItem => {
    const key = source.argumentAt(body.from);
    const from = Math.min(key?.end ?? body.from, body.to);
    const [first, ...rest] = reading.blocks({ from, to: body.to });
    const label = key === undefined ? "" : `[${source.slice(key.range)}] `;
    const inlines = first?.type === "paragraph" ? first.inlines : [];
    return { blocks: [{ type: "paragraph", inlines: [label, ...inlines] }, ...rest] };
  });
  return { type: "list", ordered: false, items };
}

// A caption goes to the picture or the table beside it.
function toFloat(environment: Environment, reading: Reading): Block[] {
  const { source } = reading;
  const argumentCount = environment.name.startsWith("wrap") ? 2 : Number(environment.name.startsWith("sub"));
  const range = withoutArguments(environment, argumentCount, reading);
  const captionAt = source.text.slice(range.from, range.to).search(/\\caption(?![A-Za-z])/);
  if (captionAt === -1) return reading.blocks(range);
  const at = range.from + captionAt;
  const name = /^\\caption\*?/.exec(source.text.slice(at, at + 12))?.[0] ?? "";
  const argument = source.argumentAt(source.optionAt(at + name.length).end);
  if (argument === undefined || argument.end > range.to) return reading.blocks(range);
  const caption = reading.inlines(argument.range);
  const blocks = [
    ...reading.blocks({ from: range.from, to: at }),
    ...reading.blocks({ from: argument.end, to: range.to }),
  ];
  return attachCaption(blocks, caption);
}

function attachCaption(blocks: readonly Block[], caption: readonly Inline[]): Block[] {
  const index = blocks.findIndex(({ type }) => type === "image" || type === "table");
  const owner = blocks[index];
  if (owner?.type !== "image" && owner?.type !== "table") return [...blocks, { type: "paragraph", inlines: caption }];
  return blocks.map((block) => (block === owner ? { ...owner, caption } : block));
}

function toTitled(title: string, environment: Environment, reading: Reading): Block[] {
  const option = reading.source.optionAt(environment.from);
  const name = option.range === undefined ? [] : [" (", ...reading.inlines(option.range), ")"];
  const label: Inline = { type: "strong", inlines: [title, ...name] };
  return [
    { type: "paragraph", inlines: [label] },
    ...reading.blocks({ from: Math.min(option.end, environment.to), to: environment.to }),
  ];
}

function toFrame(environment: Environment, reading: Reading): Block[] {
  const { source, scope } = reading;
  const from = source.optionAt(environment.from).end;
  const title = source.text[from] === "{" ? source.argumentAt(from) : undefined;
  const range = { from: Math.min(title?.end ?? from, environment.to), to: environment.to };
  if (title === undefined) return reading.blocks(range);
  const level = (scope.levels.get("subsection") ?? 2) + 1;
  return [{ type: "heading", level, inlines: reading.inlines(title.range) }, ...reading.blocks(range)];
}
