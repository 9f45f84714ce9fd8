import type { Metadata } from "../../document/document.ts";
import { expandTabs } from "../../text/indented-lines.ts";
import { readInputText } from "../../text/read-input-text.ts";
import type { ReadDocument } from "../reader.ts";
import { readBlocks } from "./read-blocks.ts";
import type { Scope } from "./scope.ts";

const author = /^([\p{L}][\p{L}.'’_-]{0,60}(?: [\p{L}.'’_-]{1,60}){0,3})(?: <([^<>\s]{1,200})>)?(?:;|$)/u;
const revision = /^v?\d[\w.]{0,20}(?:,|$|:)|^v?[\d.]{1,20}, \d{4}-\d\d-\d\d/;

/** AsciiDoc (asciidoctor). Nothing outside the file is read: includes are left out with a warning. */
export const readAsciiDoc: ReadDocument = (input, context) => {
  const lines = readInputText(input, context)
    .split("\n")
    .map((line) => expandTabs(line, 4).trimEnd());
  const { metadata, body } = takeHeader(lines);
  const scope: Scope = { context, attributes: new Map(), notes: [], depth: 0, readBlocks };
  const blocks = readBlocks(body, scope);
  const keywords = scope.attributes.get("keywords");
  const language = scope.attributes.get("lang");
  return {
    metadata: {
      ...metadata,
      ...(keywords !== undefined && { keywords: keywords.split(",").map((word) => word.trim()) }),
      ...(language !== undefined && { language }),
    },
    blocks: [...blocks, ...scope.notes],
  };
};

// Title, authors and revision stand in the first lines, without a blank line between them.
function takeHeader(lines: readonly string[]): { readonly metadata: Metadata; readonly body: readonly string[] } {
  const titleAt = lines.findIndex((line) => line !== "" && !/^(?:\/\/|:[\w!-]+:)/.test(line));
  const title = /^=[ \t]+(\S.*)$/.exec(lines[titleAt] ?? "")?.[1];
  if (title === undefined) return { metadata: {}, body: lines };
  let at = titleAt + 1;
  const names = authorsOf(lines[at] ?? "");
  if (names.length > 0) at++;
  if (names.length > 0 && revision.test(lines[at] ?? "")) at++;
  return {
    metadata: { title, ...(names.length > 0 && { authors: names }) },
    body: [...lines.slice(0, titleAt + 1), "", ...lines.slice(at)],
  };
}

function authorsOf(line: string): string[] {
  if (!author.test(line)) return [];
  return line.split(";").map((part) =>
    part
      .replace(/<[^<>]*>/, "")
      .trim()
      .replaceAll("_", " "),
  );
}
