import type { Metadata } from "../../document.ts";

/** A YAML block of the metadata known, with the blank line after it; empty when nothing is known. */
export function renderFrontMatter(metadata: Metadata): string {
  const lines = [
    ...textLine("title", metadata.title),
    ...listLines("authors", metadata.authors),
    ...textLine("subject", metadata.subject),
    ...listLines("keywords", metadata.keywords),
    ...textLine("language", metadata.language),
    ...textLine("created", metadata.createdAt),
    ...textLine("modified", metadata.modifiedAt),
    ...(metadata.pageCount === undefined ? [] : [`pages: ${metadata.pageCount}`]),
  ];
  return lines.length === 0 ? "" : `---\n${lines.join("\n")}\n---\n\n`;
}

function textLine(key: string, value: string | undefined): string[] {
  return value === undefined || value.trim() === "" ? [] : [`${key}: ${quoteScalar(value)}`];
}

function listLines(key: string, values: readonly string[] | undefined): string[] {
  const known = (values ?? []).filter((value) => value.trim() !== "");
  return known.length === 0 ? [] : [`${key}:`, ...known.map((value) => `  - ${quoteScalar(value)}`)];
}

// Words that YAML 1.1 or 1.2 reads as something other than text.
const otherTypes =
  /^(?:~|null|true|false|yes|no|on|off|y|n|\.inf|\.nan|[-+]?\.inf|0[xob][\da-f_]+|[-+]?[\d.][\d._:e+-]*)$/i;

/** Text as a YAML scalar: plain where that is safe, a double-quoted string (which JSON's is) otherwise. */
function quoteScalar(value: string): string {
  const text = value.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  const isPlain =
    /^[\p{L}\p{N}]/u.test(text) &&
    !/:(?= |$)|\s#|[\u2028\u2029\ufeff]/.test(text) &&
    !otherTypes.test(text) &&
    !text.startsWith("---");
  return isPlain ? text : JSON.stringify(text);
}
