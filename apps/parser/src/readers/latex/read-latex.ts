import type { Block, Document, Inline } from "../../document/document.ts";
import { readInputText } from "../../text/read-input-text.ts";
import type { ReadDocument } from "../reader.ts";
import { findMacros } from "./find-macros.ts";
import { plainText } from "./inline-commands.ts";
import { createReading } from "./read-range.ts";
import type { Reading, Scope } from "./scope.ts";
import { takeVerbatim } from "./take-verbatim.ts";
import { type Range, TexSource } from "./tex-source.ts";

const sections = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];
const maxExpansion = 200_000;

/** The text of a LaTeX file: no macros with arguments are expanded and no other file is read. */
export const readLatex: ReadDocument = (input, context): Document => {
  const { text, pieces } = takeVerbatim(readInputText(input, context));
  const source = new TexSource(text, pieces);
  const title = commandRange("title", source);
  const scope: Scope = {
    context,
    macros: findMacros(source),
    notes: [],
    levels: levelsOf(text, title === undefined ? 0 : 1),
    expansion: { lengthLeft: maxExpansion },
    depth: 0,
  };
  const reading = createReading(source, scope);
  const heading: Block[] = title === undefined ? [] : [{ type: "heading", level: 1, inlines: reading.inlines(title) }];
  const authors = authorsOf(reading);
  const byline: Block[] = authors.length === 0 ? [] : [{ type: "paragraph", inlines: [authors.join(", ")] }];
  const blocks = [...heading, ...byline, ...reading.blocks(bodyOf(source))];
  const name = title === undefined ? "" : plainText(reading.inlines(title)).trim();
  return {
    metadata: { ...(name !== "" && { title: name }), ...(authors.length > 0 && { authors }) },
    blocks: [...blocks, ...scope.notes],
  };
};

// What stands before \begin{document} is not text, except in files that are parts of a larger one.
function bodyOf(source: TexSource): Range {
  const at = source.text.search(/\\begin\s?\{document\}/);
  if (at === -1) return { from: 0, to: source.text.length };
  const environment = source.environmentAt(at);
  return environment ?? { from: at + "\\begin{document}".length, to: source.text.length };
}

// The outermost kind of section that the text uses is the first level below the title.
function levelsOf(text: string, shift: number): ReadonlyMap<string, number> {
  const first = sections.findIndex((name) => new RegExp(`\\\\${name}\\*?\\s?[[{]`).test(text));
  const outermost = first === -1 ? 0 : first;
  return new Map(sections.map((name, index) => [name, Math.max(1, index - outermost + 1 + shift)]));
}

function commandRange(name: string, source: TexSource): Range | undefined {
  const match = new RegExp(`\\\\${name}(?![A-Za-z])`).exec(source.text);
  if (match === null) return undefined;
  return source.argumentAt(source.optionAt(match.index + match[0].length).end)?.range;
}

function authorsOf(reading: Reading): string[] {
  const range = commandRange("author", reading.source);
  if (range === undefined) return [];
  const source = reading.source.slice(range).replace(/\\(?:thanks|footnote|inst|affil|email)\s?\{[^{}]{0,500}\}/g, "");
  return source
    .split(/\\and\b|\\And\b|\\AND\b/)
    .map((part) => part.split("\\\\")[0] ?? "")
    .map((part) => authorName(part, reading))
    .filter((author) => author !== "");
}

function authorName(part: string, { scope }: Reading): string {
  const source = new TexSource(part, []);
  const inlines: Inline[] = createReading(source, { ...scope, notes: [] }).inlines({ from: 0, to: part.length });
  return plainText(inlines).replace(/\s+/g, " ").trim();
}
