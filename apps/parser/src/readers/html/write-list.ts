import type { Block, ListItem } from "../../document/document.ts";
import type { FlowWriter } from "./flow-writer.ts";
import { isHidden } from "./hidden.ts";
import { attribute, elementChildren, findElement, type HtmlElement } from "./html-node.ts";

/** Writes `ul`, `ol`, `menu` and `dir`. Lists that count down keep their numbers as text, as the model has none for them. */
export function writeList(element: HtmlElement, writer: FlowWriter): void {
  const isOrdered = element.name === "ol";
  if (!elementChildren(element).some(({ name }) => name === "li")) return writeIndented(element, writer);
  const entries = collectEntries(element, writer);
  if (entries.length === 0) return;
  if (isOrdered && element.attributes.has("reversed")) return writeCountdown(element, entries, writer);
  const start = isOrdered ? startOf(element) : 1;
  const items = entries.flatMap(({ item }) => (isOrdered ? [item] : withoutEmptyLevel(item)));
  writer.block({ type: "list", ordered: isOrdered, ...(start !== 1 && { start }), items });
}

// An item that is only another list gives its items directly: it was there for the indent.
function withoutEmptyLevel(item: ListItem): readonly ListItem[] {
  const [only] = item.blocks;
  const isLevel = item.blocks.length === 1 && only?.type === "list" && !only.ordered && item.isChecked === undefined;
  return isLevel ? only.items : [item];
}

// Old pages indent with lists that have no items.
function writeIndented(element: HtmlElement, writer: FlowWriter): void {
  writer.flush();
  writer.writeChildren(element);
  writer.flush();
}

interface Entry {
  readonly item: ListItem & { blocks: Block[] };
}

// What stands between items belongs to the item before it, as browsers show it.
function collectEntries(element: HtmlElement, writer: FlowWriter): Entry[] {
  const entries: Entry[] = [];
  let stray: FlowWriter | undefined;
  const endStray = (): void => {
    const blocks = stray?.finish() ?? [];
    stray = undefined;
    if (blocks.length === 0) return;
    const last = entries.at(-1);
    if (last === undefined) entries.push({ item: { blocks } });
    else for (const block of blocks) last.item.blocks.push(block);
  };
  for (const child of element.children) {
    if (typeof child !== "string" && child.name === "li" && !isHidden(child)) {
      endStray();
      const item = toItem(child, writer);
      if (item.blocks.length > 0 || element.name === "ol") entries.push({ item });
    } else {
      stray ??= writer.child();
      if (typeof child === "string") stray.text(child);
      else stray.page.writeElement(child, stray);
    }
  }
  endStray();
  return entries.some(({ item }) => item.blocks.length > 0) ? entries : [];
}

function toItem(element: HtmlElement, writer: FlowWriter): Entry["item"] {
  const box = findTaskBox(element);
  if (box === undefined) return { blocks: writer.contentOf(element) };
  const inner = writer.child();
  for (const child of element.children) {
    if (typeof child === "string") inner.text(child);
    else if (child !== box) inner.page.writeElement(child, inner);
  }
  return { blocks: inner.finish(), isChecked: box.attributes.has("checked") };
}

// A task list of GitHub and of Markdown renderers: the box is the first thing in the item.
function findTaskBox(item: HtmlElement): HtmlElement | undefined {
  const first = item.children.find((child) => typeof child !== "string" || child.trim() !== "");
  if (first === undefined || typeof first === "string" || first.name !== "input") return undefined;
  return attribute(first, "type").toLowerCase() === "checkbox" ? first : undefined;
}

function startOf(element: HtmlElement): number {
  const firstItem = elementChildren(element).find(({ name }) => name === "li");
  const value = (firstItem && integerOf(firstItem, "value")) ?? integerOf(element, "start") ?? 1;
  return value >= 0 ? value : 1;
}

function integerOf(element: HtmlElement, name: string): number | undefined {
  const text = attribute(element, name);
  return /^-?\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function writeCountdown(element: HtmlElement, entries: readonly Entry[], writer: FlowWriter): void {
  const start = integerOf(element, "start") ?? entries.length;
  const items = entries.map(({ item }, index) => ({ ...item, blocks: withNumber(item.blocks, start - index) }));
  writer.block({ type: "list", ordered: false, items });
}

function withNumber(blocks: readonly Block[], number: number): Block[] {
  const [first, ...rest] = blocks;
  if (first?.type === "paragraph") return [{ ...first, inlines: [`${number}. `, ...first.inlines] }, ...rest];
  return [{ type: "paragraph", inlines: [`${number}.`] }, ...blocks];
}

/** Writes `dl` as a list of terms in bold, each with the list of its descriptions. */
export function writeDescriptionList(element: HtmlElement, writer: FlowWriter): void {
  const items: { blocks: Block[]; descriptions: ListItem[] }[] = [];
  for (const part of partsOf(element)) {
    const inner = writer.child();
    if (typeof part === "string") inner.text(part);
    else if (part.name === "dt") inner.wrapped({ type: "strong" }, () => inner.writeChildren(part));
    else if (part.name === "dd") inner.writeChildren(part);
    else inner.page.writeElement(part, inner);
    const blocks = inner.finish();
    const isTerm = typeof part !== "string" && part.name === "dt";
    if (blocks.length === 0) continue;
    const last = items.at(-1);
    if (isTerm) items.push({ blocks: blocks.map(plainFormatting), descriptions: [] });
    else if (last === undefined) items.push({ blocks, descriptions: [] });
    else last.descriptions.push({ blocks });
  }
  if (items.length > 0) writer.block({ type: "list", ordered: false, items: items.map(toDescribedItem) });
}

// `div` may group terms and descriptions.
function partsOf(element: HtmlElement): HtmlElement["children"] {
  return element.children.flatMap((child) =>
    typeof child !== "string" && child.name === "div" && findElement(child, isDescriptionPart) !== undefined
      ? child.children
      : [child],
  );
}

function isDescriptionPart({ name }: HtmlElement): boolean {
  return name === "dt" || name === "dd";
}

// A heading in a term is the term.
function plainFormatting(block: Block): Block {
  return block.type === "heading" ? { type: "paragraph", inlines: block.inlines } : block;
}

function toDescribedItem({ blocks, descriptions }: { blocks: Block[]; descriptions: ListItem[] }): ListItem {
  if (descriptions.length === 0) return { blocks };
  const nested = descriptions.flatMap((description) => withoutEmptyLevel(description));
  return { blocks: [...blocks, { type: "list", ordered: false, items: nested }] };
}
