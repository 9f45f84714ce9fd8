import type { Block, Metadata } from "../../document/document.ts";
import { expandTabs } from "../../text/indented-lines.ts";
import { readInputText } from "../../text/read-input-text.ts";
import type { ReadDocument } from "../reader.ts";
import { readBlocks } from "./read-blocks.ts";
import { readInlines } from "./read-inlines.ts";
import type { Scope } from "./scope.ts";

const usualTodoWords = ["TODO", "DONE", "NEXT", "WAITING", "HOLD", "CANCELED", "CANCELLED", "STARTED", "INPROGRESS"];

/** Org mode. Nothing outside the file is read, and no code in it is run. */
export const readOrg: ReadDocument = (input, context) => {
  const lines = readInputText(input, context)
    .split("\n")
    .map((line) => expandTabs(line, 8).trimEnd());
  const title = valueOf(lines, "title");
  const scope: Scope = {
    context,
    keywords: new Map(),
    notes: [],
    todoWords: new Set([...usualTodoWords, ...ownTodoWords(lines)]),
    depth: 0,
    levelShift: title === undefined ? 0 : 1,
    readBlocks,
  };
  const blocks = readBlocks(lines, scope);
  const heading: Block[] =
    title === undefined ? [] : [{ type: "heading", level: 1, inlines: readInlines(title, scope) }];
  return { metadata: toMetadata(scope.keywords), blocks: [...heading, ...blocks, ...scope.notes] };
};

const maxHeaderLines = 200;

function valueOf(lines: readonly string[], name: string): string | undefined {
  const prefix = `#+${name}:`;
  const line = lines.slice(0, maxHeaderLines).find((text) => text.toLowerCase().startsWith(prefix));
  return line?.slice(prefix.length).trim() || undefined;
}

function ownTodoWords(lines: readonly string[]): string[] {
  const value = valueOf(lines, "todo") ?? valueOf(lines, "seq_todo") ?? "";
  return value
    .split(/[\s|]+/)
    .map((word) => word.replace(/\(.*\)$/, ""))
    .filter(Boolean);
}

function toMetadata(keywords: ReadonlyMap<string, string>): Metadata {
  const get = (name: string): string | undefined => keywords.get(name) || undefined;
  const title = get("title");
  const author = get("author");
  const language = get("language");
  const subject = get("description");
  const words = get("keywords")
    ?.split(/[,;]|\s{2,}/)
    .map((word) => word.trim());
  return {
    ...(title !== undefined && { title }),
    ...(author !== undefined && { authors: [author] }),
    ...(language !== undefined && { language }),
    ...(subject !== undefined && { subject }),
    ...(words !== undefined && { keywords: words }),
  };
}
