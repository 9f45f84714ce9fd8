import {
  type HtmlElement,
  type HtmlNode,
  textOf,
  visitElements,
} from "../../../apps/parser/src/readers/html/html-node.ts";
import { parseHtml } from "../../../apps/parser/src/readers/html/parse-html.ts";
import { collapse } from "./python-text.ts";
import { createEditShare } from "./string-distance.ts";
import { type Tree, treeDistance } from "./tree-distance.ts";

interface TablePart extends Tree<TablePart> {
  readonly tag: string;
  readonly columnSpan: number;
  readonly rowSpan: number;
  /** Words of a cell, with the tags in it. */
  readonly text: string;
  readonly children: readonly TablePart[];
}

/**
 * TEDS, the likeness of the tables of two texts, taken as one tree of tables, rows and cells, and TEDS-S, that of their
 * structure alone. Nothing where the truth has no table, 0 where only the candidate has none.
 */
export function scoreTables(truth: string, candidate: string): { teds?: number; tedsS?: number } {
  const [expected, found] = [tablesOf(truth), tablesOf(candidate)];
  if (expected.length === 0) return {};
  if (found.length === 0) return { teds: 0, tedsS: 0 };
  const size = Math.max(countElements(expected), countElements(found));
  const [one, other] = [toPart("table", expected), toPart("table", found)];
  const shares = new Map<string, number>();
  const editShare = createEditShare();
  const wordShare = (a: TablePart, b: TablePart): number => {
    const key = `${a.text}\u0000${b.text}`;
    const share = shares.get(key) ?? editShare(a.text, b.text);
    shares.set(key, share);
    return share;
  };
  const likeness = (cost: (a: TablePart, b: TablePart) => number): number => {
    const distance = treeDistance(one, other, (a, b) => (areAlike(a, b) ? cost(a, b) : 1));
    return 1 - distance / size;
  };
  return { teds: likeness(wordShare), tedsS: likeness(() => 0) };
}

function areAlike(a: TablePart, b: TablePart): boolean {
  return a.tag === b.tag && a.columnSpan === b.columnSpan && a.rowSpan === b.rowSpan;
}

function tablesOf(markdown: string): HtmlElement[] {
  const tables: HtmlElement[] = [];
  visitElements(parseHtml(markdown, { isXml: false, maxDepth: 256 }).root, (element) => {
    if (element.name === "table") tables.push({ ...element, children: withoutSections(element) });
  });
  return tables;
}

// Sections of a table count only where their tags have attributes.
function withoutSections({ children }: HtmlElement): HtmlNode[] {
  return children.flatMap((child) => {
    const isBareSection =
      typeof child !== "string" && /^t(?:head|body)$/.test(child.name) && child.attributes.size === 0;
    return isBareSection ? child.children : [child];
  });
}

function countElements(elements: readonly HtmlNode[]): number {
  return elements.reduce(
    (count, node) => (typeof node === "string" ? count : count + 1 + countElements(node.children)),
    0,
  );
}

function toPart(tag: string, children: readonly HtmlNode[]): TablePart {
  const parts = children.flatMap((child) => {
    if (typeof child === "string") return [];
    return child.name === "td" || child.name === "th" ? [toCell(child)] : [toPart(child.name, child.children)];
  });
  return { tag, columnSpan: 1, rowSpan: 1, text: "", children: parts };
}

function toCell({ attributes, children }: HtmlElement): TablePart {
  const span = (name: string): number => Number.parseInt(attributes.get(name) ?? "1", 10);
  const text = children
    .map(withTags)
    .join("")
    .replace(/&[^;\s<&]{1,32};?/g, resolveEntity);
  const words = collapse(text.replace(/<br\s*\/?>/g, "\n"));
  return { tag: "td", columnSpan: span("colspan"), rowSpan: span("rowspan"), text: words, children: [] };
}

function withTags(node: HtmlNode): string {
  if (typeof node === "string") return node;
  const tag = node.name === "th" ? "td" : node.name;
  return `<${tag}>${node.children.map(withTags).join("")}</${tag}>`;
}

// What was written as `&amp;lt;` is resolved twice.
function resolveEntity(entity: string): string {
  return textOf(parseHtml(entity, { isXml: false, maxDepth: 1 }).root);
}
