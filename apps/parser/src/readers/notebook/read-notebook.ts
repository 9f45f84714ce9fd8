import type { Block, Document, Metadata } from "../../document/document.ts";
import { readInputText } from "../../text/read-input-text.ts";
import type { ReadContext, ReadDocument } from "../reader.ts";
import { field, type Json, list, multiline, parseNotebook, string } from "./parse-notebook.ts";
import { readMarkup } from "./read-markup.ts";
import { readOutputs } from "./read-outputs.ts";

/** A notebook's text, code and outputs in their order. */
export const readNotebook: ReadDocument = async (input, context): Promise<Document> => {
  const { cells, language, metadata } = parseNotebook(readInputText(input, context));
  const blocks: Block[] = [];
  for (const cell of cells) {
    for (const block of await readCell(cell, language, context)) blocks.push(block);
  }
  return { metadata: toMetadata(metadata), blocks };
};

async function readCell(cell: Json, language: string, context: ReadContext): Promise<Block[]> {
  const source = multiline(cell, "source") ?? multiline(cell, "input") ?? "";
  switch (string(cell, "cell_type")) {
    case "code":
      return [
        ...toCode(source, string(cell, "language")?.toLowerCase() ?? language),
        ...(await readOutputs(cell, context)),
      ];
    case "markdown":
      return source.trim() === "" ? [] : readMarkup(source, "md", context);
    case "heading":
      return [{ type: "heading", level: headingLevel(cell), inlines: [source.trim()] }];
    default:
      return readRaw(cell, source, context);
  }
}

function toCode(source: string, language: string): Block[] {
  if (source.trim() === "") return [];
  return [{ type: "code", language: magicLanguage(source) ?? language, text: source.replace(/(?<!\n)\n+$/, "") }];
}

const magics: Readonly<Record<string, string>> = {
  bash: "bash",
  sh: "bash",
  html: "html",
  javascript: "javascript",
  js: "javascript",
  latex: "latex",
  markdown: "markdown",
  perl: "perl",
  r: "r",
  ruby: "ruby",
  sql: "sql",
  svg: "xml",
};

// `%%bash` in its first line makes a cell another language's.
function magicLanguage(source: string): string | undefined {
  const magic = /^\s{0,20}%%(\w{1,20})/.exec(source)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(magics, magic) ? magics[magic] : undefined;
}

function headingLevel(cell: Json): number {
  const level = field(cell, "level");
  return typeof level === "number" && level >= 1 && level <= 6 ? Math.floor(level) : 1;
}

const rawFormats: Readonly<Record<string, string>> = {
  "text/markdown": "md",
  "text/html": "html",
  "text/latex": "tex",
  "text/restructuredtext": "rst",
  "text/asciidoc": "adoc",
};

async function readRaw(cell: Json, source: string, context: ReadContext): Promise<Block[]> {
  if (source.trim() === "") return [];
  const details = field(cell, "metadata");
  const mediaType = string(details, "raw_mimetype") ?? string(details, "format") ?? "";
  const format = Object.hasOwn(rawFormats, mediaType) ? rawFormats[mediaType] : undefined;
  return format === undefined ? [{ type: "code", text: source } satisfies Block] : readMarkup(source, format, context);
}

function toMetadata(metadata: Json): Metadata {
  const title = string(metadata, "title");
  const authors = list(metadata, "authors").flatMap((author) => string(author, "name") ?? []);
  return { ...(title !== undefined && { title }), ...(authors.length > 0 && { authors }) };
}
