import type { Block, ImageBlock, Inline } from "../../document/document.ts";
import { joinLines } from "../../text/join-lines.ts";
import { readInlines } from "./read-inlines.ts";
import { readCsvTable, readListTable } from "./read-table-directives.ts";
import { readNested, type Scope } from "./scope.ts";

export interface Directive {
  readonly name: string;
  readonly argument: string;
  /** Lines below the argument and above the options: more of the argument, or content of directives without options. */
  readonly more: readonly string[];
  readonly options: ReadonlyMap<string, string>;
  readonly content: readonly string[];
}

type ReadDirective = (directive: Directive, scope: Scope) => Block[];

// Made by other tools, or about the output, not about the text.
const dropped = new Set(
  (
    "contents toctree include literalinclude index meta default-role role sectnum section-numbering highlight highlightlang " +
    "autosummary automodule autoclass autofunction autodata automethod currentmodule module py:module py:currentmodule " +
    "target-notes header footer title tabularcolumns raw date default-domain default_domain testsetup testcleanup unicode"
  ).split(" "),
);
// What is lost with these is worth a word.
const external = new Set(["include", "literalinclude", "automodule", "autoclass", "autofunction"]);
const titled: Readonly<Record<string, string>> = {
  note: "Note",
  warning: "Warning",
  tip: "Tip",
  hint: "Hint",
  important: "Important",
  caution: "Caution",
  danger: "Danger",
  error: "Error",
  attention: "Attention",
  seealso: "See also",
  todo: "Todo",
};
const versions: Readonly<Record<string, string>> = {
  versionadded: "New in version",
  versionchanged: "Changed in version",
  deprecated: "Deprecated since version",
};

/** Blocks of a directive; what is unknown keeps its text. */
export function readDirective(directive: Directive, scope: Scope): Block[] {
  const { name } = directive;
  if (external.has(name)) scope.context.warn(`The directive ${name} refers to another file, which is not read.`);
  if (dropped.has(name)) return [];
  const known = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (known !== undefined) return known(directive, scope);
  if (Object.hasOwn(titled, name)) return readAdmonition(titled[name] ?? "", bodyOf(directive), scope);
  if (Object.hasOwn(versions, name)) return readVersion(versions[name] ?? "", directive, scope);
  return readUnknown(directive, scope);
}

// Directives without arguments have their text on the first line already.
function bodyOf({ argument, more, content }: Directive): readonly string[] {
  return [argument, ...more, "", ...content];
}

function readAdmonition(title: string, body: readonly string[], scope: Scope): Block[] {
  const heading: Block = { type: "paragraph", inlines: [{ type: "strong", inlines: readInlines(title, scope) }] };
  return [{ type: "quote", blocks: [heading, ...readNested(body, scope)] }];
}

function readVersion(label: string, { argument, more, content }: Directive, scope: Scope): Block[] {
  const [version = "", ...words] = argument.split(" ");
  const rest = joinLines([words.join(" "), ...more].filter(Boolean));
  const text: Inline[] = [{ type: "emphasis", inlines: [`${label} ${version}`] }];
  if (rest !== "") text.push(": ", ...readInlines(rest, scope));
  return [{ type: "paragraph", inlines: text }, ...readNested(content, scope)];
}

// Signatures of functions, classes and options, in Sphinx, and whatever extensions define.
function readUnknown({ argument, more, content }: Directive, scope: Scope): Block[] {
  const lines = [argument, ...more].map((line) => line.trim()).filter(Boolean);
  const signature: Block[] =
    lines.length === 0 ? [] : [{ type: "paragraph", inlines: [{ type: "code", text: lines.join(" ") }] }];
  return [...signature, ...readNested(content, scope)];
}

function readCode({ argument, more, content }: Directive): Block[] {
  const language = argument.trim().toLowerCase().split(/\s+/)[0] ?? "";
  const text = (content.length > 0 ? content : more).join("\n");
  if (text === "") return [];
  return [{ type: "code", text, ...(language !== "" && language !== "none" && { language }) }];
}

function readMath({ argument, more, content }: Directive): Block[] {
  const text = [argument, ...more, ...content].join("\n").trim();
  return text === "" ? [] : [{ type: "formula", notation: "latex", text }];
}

function readImage({ argument, more, options }: Directive): ImageBlock {
  const reference = [argument, ...more].map((line) => line.trim()).join("");
  return { type: "image", alt: options.get("alt") ?? "", ...(reference !== "" && { reference }) };
}

function readFigure(directive: Directive, scope: Scope): Block[] {
  const [first, ...legend] = readNested(directive.content, scope);
  const image = readImage(directive);
  if (first?.type !== "paragraph") return [image, ...(first === undefined ? [] : [first]), ...legend];
  return [{ ...image, caption: first.inlines }, ...legend];
}

function readTable({ argument, more, content }: Directive, scope: Scope): Block[] {
  const caption = readInlines(joinLines([argument, ...more].filter(Boolean)), scope);
  return readNested(content, scope).map((block) =>
    block.type === "table" && caption.length > 0 ? { ...block, caption } : block,
  );
}

function readTitledBox({ argument, more, content }: Directive, scope: Scope): Block[] {
  return readAdmonition(joinLines([argument, ...more].filter(Boolean)), content, scope);
}

function readQuoted(directive: Directive, scope: Scope): Block[] {
  return [{ type: "quote", blocks: readNested(bodyOf(directive), scope) }];
}

function readRubric({ argument, more }: Directive, scope: Scope): Block[] {
  return [
    { type: "paragraph", inlines: [{ type: "strong", inlines: readInlines(joinLines([argument, ...more]), scope) }] },
  ];
}

const readContent: ReadDirective = ({ more, content }, scope) => readNested([...more, "", ...content], scope);

const readers: Readonly<Record<string, ReadDirective>> = {
  code: readCode,
  "code-block": readCode,
  sourcecode: readCode,
  "parsed-literal": ({ argument, more, content }) =>
    readCode({
      name: "",
      argument: "",
      more: [],
      options: new Map(),
      content: [argument, ...more, ...content].filter((line, index) => index > 0 || line !== ""),
    }),
  ipython: readCode,
  prompt: readCode,
  doctest: ({ content }) => [{ type: "code", language: "python", text: content.join("\n") }],
  testcode: ({ content }) => [{ type: "code", language: "python", text: content.join("\n") }],
  productionlist: ({ content }) => [{ type: "code", text: content.join("\n") }],
  graphviz: ({ content }) => [{ type: "code", language: "dot", text: content.join("\n") }],
  mermaid: ({ content }) => [{ type: "code", language: "mermaid", text: content.join("\n") }],
  math: readMath,
  image: (directive) => [readImage(directive)],
  figure: readFigure,
  table: readTable,
  "csv-table": readCsvTable,
  "list-table": readListTable,
  admonition: readTitledBox,
  topic: readTitledBox,
  sidebar: readTitledBox,
  rubric: readRubric,
  centered: readRubric,
  epigraph: readQuoted,
  highlights: readQuoted,
  "pull-quote": readQuoted,
  compound: readContent,
  container: readContent,
  class: readContent,
  only: readContent,
  glossary: readContent,
  "line-block": readContent,
};
