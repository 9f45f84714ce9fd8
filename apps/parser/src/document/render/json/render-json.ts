import type { BlockStream } from "../block-stream.ts";

/**
 * The document model as JSON: keys in a fixed order, whatever order the reader set them in; absent ones left out; bytes of
 * pictures in base64. In pieces.
 */
export function* renderJson({ metadata, blocks }: BlockStream): Generator<string> {
  yield `{\n "metadata": ${stringify(metadata, 1)},\n "blocks": [`;
  let isFirst = true;
  for (const block of blocks) {
    yield isFirst ? "\n  " : ",\n  ";
    yield stringify(block, 2);
    isFirst = false;
  }
  yield isFirst ? "]\n}" : "\n ]\n}";
}

// As it is written so many levels inside; JSON has no newlines but those between its lines.
function stringify(value: unknown, depth: number): string {
  return JSON.stringify(inOrder(value), undefined, 1).replaceAll("\n", `\n${" ".repeat(depth)}`);
}

// The order in which the model declares them, leading with what tells kinds apart.
const keyOrder = [
  "metadata",
  "title",
  "authors",
  "subject",
  "keywords",
  "language",
  "createdAt",
  "modifiedAt",
  "pageCount",
  "type",
  "id",
  "level",
  "number",
  "ordered",
  "start",
  "isChecked",
  "notation",
  "target",
  "headerRowCount",
  "rowSpan",
  "columnSpan",
  "isRowHeader",
  "alt",
  "reference",
  "data",
  "mediaType",
  "bytes",
  "source",
  "page",
  "box",
  "text",
  "inlines",
  "caption",
  "blocks",
  "items",
  "rows",
];
const ranks = new Map(keyOrder.map((key, index) => [key, index]));

function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.every((item) => typeof item === "string") ? value : value.map(inOrder);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, inOrder(item)]));
}

function rank(key: string): number {
  return ranks.get(key) ?? keyOrder.length;
}
