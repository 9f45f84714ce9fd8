import { isHidden } from "./hidden.ts";
import type { HtmlElement, HtmlNode } from "./html-node.ts";

export interface RowElements {
  readonly isInHead: boolean;
  readonly cells: readonly HtmlElement[];
}

export interface TableParts {
  /** In the order of the page but for `tfoot`, which stands last. */
  readonly rows: readonly RowElements[];
  readonly captions: readonly HtmlElement[];
  /** What stands in the table and in no cell. */
  readonly stray: readonly HtmlNode[];
}

interface Collection {
  readonly head: MutableRow[];
  readonly body: MutableRow[];
  readonly foot: MutableRow[];
  readonly captions: HtmlElement[];
  readonly stray: HtmlNode[];
}

interface MutableRow {
  readonly isInHead: boolean;
  readonly cells: HtmlElement[];
}

/** Sorts the content of a `table` into its rows; cells without a row have one of their own. */
export function collectRows(table: HtmlElement): TableParts {
  const collection: Collection = { head: [], body: [], foot: [], captions: [], stray: [] };
  collectFrom(table, "body", collection);
  const { head, body, foot, captions, stray } = collection;
  return { rows: [...head, ...body, ...foot], captions, stray };
}

type Section = "head" | "body" | "foot";
const sections: ReadonlyMap<string, Section> = new Map([
  ["thead", "head"],
  ["tbody", "body"],
  ["tfoot", "foot"],
]);

function collectFrom(parent: HtmlElement, section: Section, collection: Collection): void {
  let looseRow: MutableRow | undefined;
  for (const child of parent.children) {
    if (typeof child === "string") {
      if (child.trim() !== "") collection.stray.push(child);
      continue;
    }
    const isCell = child.name === "td" || child.name === "th";
    if (!isCell) looseRow = undefined;
    if (isCell) {
      looseRow ??= addRow(section, collection);
      addCell(child, looseRow, collection);
    } else collectElement(child, section, collection);
  }
}

function collectElement(element: HtmlElement, section: Section, collection: Collection): void {
  const inner = sections.get(element.name);
  if (inner !== undefined && !isHidden(element)) collectFrom(element, inner, collection);
  else if (element.name === "form") collectFrom(element, section, collection);
  else if (element.name === "caption") collection.captions.push(element);
  else if (element.name === "tr" && !isHidden(element)) collectRow(element, addRow(section, collection), collection);
  else collection.stray.push(element);
}

function collectRow(parent: HtmlElement, row: MutableRow, collection: Collection): void {
  for (const child of parent.children) {
    if (typeof child === "string") {
      if (child.trim() !== "") collection.stray.push(child);
    } else if (child.name === "td" || child.name === "th") addCell(child, row, collection);
    else if (child.name === "form") collectRow(child, row, collection);
    else collection.stray.push(child);
  }
}

// A hidden cell goes where all hidden things go, to be counted.
function addCell(cell: HtmlElement, row: MutableRow, collection: Collection): void {
  if (isHidden(cell)) collection.stray.push(cell);
  else row.cells.push(cell);
}

function addRow(section: Section, collection: Collection): MutableRow {
  const row: MutableRow = { isInHead: section === "head", cells: [] };
  collection[section].push(row);
  return row;
}
