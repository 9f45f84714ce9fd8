import type { Block, ListItem, Metadata } from "../../document/document.ts";
import { dedent, indentOf } from "../../text/indented-lines.ts";
import { readInlines } from "./read-inlines.ts";
import { type BlockRule, type Cursor, readNested, type Scope } from "./scope.ts";

const bullet = /^([-*+•‣⁃])(?:\s+|$)/;
const enumerator = /^(\()?(\d{1,9}|#|[a-zA-Z]|[ivxlcdmIVXLCDM]{1,12})([.)])(?:\s+|$)/;
const field = /^:((?:[^:\\]|\\.|:(?=\S)){1,200}):(?:\s+|$)/;

export const readBulletList: BlockRule = (cursor, scope) => {
  const sign = bullet.exec(cursor.lines[cursor.at] ?? "")?.[1];
  if (sign === undefined) return undefined;
  const { items, lineCount } = readItems(cursor, scope, (line) =>
    line.startsWith(sign) ? bullet.exec(line)?.[0] : undefined,
  );
  return { blocks: [{ type: "list", ordered: false, items }], lineCount };
};

export const readEnumeration: BlockRule = (cursor, scope) => {
  const first = enumerator.exec(cursor.lines[cursor.at] ?? "");
  if (first === null || !isEnumeration(cursor, first[0].length)) return undefined;
  const [, open, label = "", close] = first;
  const isDigits = /^\d|#/.test(label);
  const { items, lineCount } = readItems(cursor, scope, (line) => {
    const match = enumerator.exec(line);
    const isSame = match?.[1] === open && match?.[3] === close && /^\d|#/.test(match?.[2] ?? "") === isDigits;
    return isSame ? match?.[0] : undefined;
  });
  const start = /^\d+$/.test(label) ? Number(label) : 1;
  return { blocks: [{ type: "list", ordered: true, ...(start !== 1 && { start }), items }], lineCount };
};

// `A. Einstein was a great` goes on in the next line without indent: a paragraph, no list.
function isEnumeration({ lines, at }: Cursor, width: number): boolean {
  const next = lines[at + 1] ?? "";
  return next.trim() === "" || indentOf(next) >= Math.min(width, 2) || enumerator.test(next);
}

interface Items {
  readonly items: ListItem[];
  readonly lineCount: number;
}

function readItems({ lines, at }: Cursor, scope: Scope, markerOf: (line: string) => string | undefined): Items {
  const items: ListItem[] = [];
  let end = at;
  let marker = markerOf(lines[end] ?? "");
  while (marker !== undefined) {
    const from = end;
    end++;
    while (end < lines.length && belongs(lines, end)) end++;
    const first = (lines[from] ?? "").slice(marker.length);
    items.push({ blocks: readNested([first, ...dedent(lines.slice(from + 1, end))], scope) });
    marker = markerOf(lines[end] ?? "");
  }
  return { items, lineCount: end - at };
}

function belongs(lines: readonly string[], at: number): boolean {
  const line = lines[at] as string;
  return line.trim() === "" || indentOf(line) > 0;
}

const properties: Readonly<Record<string, keyof Metadata>> = {
  author: "authors",
  authors: "authors",
  title: "title",
  subject: "subject",
  language: "language",
  keywords: "keywords",
};

export const readFieldList: BlockRule = ({ lines, at }, scope) => {
  const blocks: Block[] = [];
  let end = at;
  let match = field.exec(lines[end] ?? "");
  while (match !== null) {
    const from = end;
    end++;
    while (end < lines.length && belongs(lines, end)) end++;
    const name = match[1] ?? "";
    const first = (lines[from] ?? "").slice(match[0].length);
    takeProperty(name, first, scope);
    const body = readNested([first, ...dedent(lines.slice(from + 1, end))], scope);
    blocks.push(...named(name, body, scope));
    match = field.exec(lines[end] ?? "");
  }
  return end === at ? undefined : { blocks, lineCount: end - at };
};

function takeProperty(name: string, value: string, scope: Scope): void {
  const key = name.toLowerCase();
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (scope.depth === 0 && property !== undefined && value.trim() !== "") scope.metadata.set(property, value.trim());
}

// The name stands before the first paragraph of its body.
function named(name: string, [first, ...rest]: readonly Block[], scope: Scope): Block[] {
  const label = { type: "strong", inlines: [...readInlines(name, scope), ":"] } as const;
  if (first?.type === "paragraph") return [{ type: "paragraph", inlines: [label, " ", ...first.inlines] }, ...rest];
  return [{ type: "paragraph", inlines: [label] }, ...(first === undefined ? [] : [first]), ...rest];
}
