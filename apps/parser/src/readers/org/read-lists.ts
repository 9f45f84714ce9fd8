import type { Block, ListItem } from "../../document/document.ts";
import { dedent, indentOf } from "../../text/indented-lines.ts";
import { readInlines } from "./read-inlines.ts";
import { type Cursor, readNested, type Scope, type Taken } from "./scope.ts";

const marker =
  /^(\s*)([-+]|\*(?<=\s\*)|(?:\d{1,6}|[a-zA-Z])[.)])(?:[ \t]+|$)(?:\[@(\d{1,6})\][ \t]+)?(?:\[([ xX-])\][ \t]+)?/;

interface Marker {
  readonly indent: number;
  readonly ordered: boolean;
  readonly number: number;
  readonly isChecked: boolean | undefined;
  readonly text: string;
}

function markerOf(line: string): Marker | undefined {
  const match = marker.exec(line);
  if (match === null) return undefined;
  const [whole, , sign = "", start, box] = match;
  return {
    indent: indentOf(line),
    ordered: /^\w/.test(sign),
    number: Number(start ?? /^\d+/.exec(sign)?.[0] ?? 1),
    isChecked: box === undefined ? undefined : box !== " " && box !== "-",
    text: line.slice(whole.length),
  };
}

/** A list with everything indented under its items. */
export function readList({ lines, at }: Cursor, scope: Scope): Taken | undefined {
  const first = markerOf(lines[at] ?? "");
  if (first === undefined) return undefined;
  const items: ListItem[] = [];
  let end = at;
  let current: Marker | undefined = first;
  while (current?.indent === first.indent && current.ordered === first.ordered) {
    const from = end;
    end = itemEnd(lines, from + 1, first.indent);
    items.push(toItem(current, dedent(lines.slice(from + 1, end)), scope));
    current = markerOf(lines[end] ?? "");
  }
  const start = first.ordered && first.number !== 1 ? { start: first.number } : {};
  return { blocks: [{ type: "list", ordered: first.ordered, ...start, items }], lineCount: end - at };
}

// An item ends at a line with no more indent than its marker, or at two blank lines.
function itemEnd(lines: readonly string[], from: number, indent: number): number {
  let at = from;
  while (at < lines.length) {
    const line = lines[at] as string;
    if (line.trim() === "") {
      if ((lines[at + 1] ?? "").trim() === "") return at;
    } else if (indentOf(line) <= indent) return at;
    at++;
  }
  return at;
}

function toItem({ text, isChecked }: Marker, rest: readonly string[], scope: Scope): ListItem {
  const term = /^(\S.{0,300}?)[ \t]+::(?:[ \t]+|$)/.exec(text.slice(0, 600));
  const body = readNested([term === null ? text : text.slice(term[0].length), ...rest], scope);
  const blocks = term === null ? body : withTerm(term[1] ?? "", body, scope);
  return { blocks, ...(isChecked !== undefined && { isChecked }) };
}

function withTerm(term: string, [first, ...rest]: readonly Block[], scope: Scope): Block[] {
  const label = { type: "strong", inlines: [...readInlines(term, scope), ":"] } as const;
  if (first?.type === "paragraph") return [{ type: "paragraph", inlines: [label, " ", ...first.inlines] }, ...rest];
  return [{ type: "paragraph", inlines: [label] }, ...(first === undefined ? [] : [first]), ...rest];
}
