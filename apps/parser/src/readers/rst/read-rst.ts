import type { Metadata } from "../../document/document.ts";
import { expandTabs } from "../../text/indented-lines.ts";
import { readInputText } from "../../text/read-input-text.ts";
import type { ReadDocument } from "../reader.ts";
import { findDefinitions } from "./definitions.ts";
import { readBody } from "./read-body.ts";
import type { Scope } from "./scope.ts";

/** reStructuredText (docutils) with the directives of Sphinx. Nothing outside the file is read. */
export const readRst: ReadDocument = (input, context) => {
  const lines = readInputText(input, context)
    .split("\n")
    .map((line) => expandTabs(line, 8).trimEnd());
  const metadata = new Map<keyof Metadata, string>();
  const scope: Scope = { context, ...findDefinitions(lines), titleStyles: [], notes: [], metadata, depth: 0, readBody };
  const blocks = readBody(lines, scope);
  return { metadata: toMetadata(metadata), blocks: [...blocks, ...scope.notes] };
};

function toMetadata(found: ReadonlyMap<keyof Metadata, string>): Metadata {
  const title = found.get("title");
  const author = found.get("authors");
  const subject = found.get("subject");
  const language = found.get("language");
  const keywords = found.get("keywords");
  return {
    ...(title !== undefined && { title }),
    ...(author !== undefined && { authors: [author] }),
    ...(subject !== undefined && { subject }),
    ...(language !== undefined && { language }),
    ...(keywords !== undefined && { keywords: keywords.split(/[,;]/).map((word) => word.trim()) }),
  };
}
