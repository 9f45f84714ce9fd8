import type { FlowWriter } from "./flow-writer.ts";
import { attribute, type HtmlElement } from "./html-node.ts";
import { visitElements } from "./html-node.ts";

/** Ids of the elements that are notes: EPUB's `epub:type` and the roles of DPUB-ARIA. */
export function findNoteIds(root: HtmlElement): Set<string> {
  const ids = new Set<string>();
  const referenced = new Set<string>();
  visitElements(root, (element) => {
    const id = attribute(element, "id");
    if (id !== "" && isNote(element)) ids.add(id);
    if (isGroup(element)) for (const noteId of listedIds(element)) ids.add(noteId);
    if (element.name === "a" && isReference(element)) referenced.add(attribute(element, "href").slice(1));
  });
  return new Set([...ids].filter((id) => referenced.has(id)));
}

function kindOf(element: HtmlElement): string {
  return `${attribute(element, "epub:type")} ${attribute(element, "role")}`;
}

function isNote(element: HtmlElement): boolean {
  return /(?:^|\s)(?:footnote|endnote|rearnote|doc-footnote|doc-endnote)(?:\s|$)/.test(kindOf(element));
}

function isGroup(element: HtmlElement): boolean {
  return /(?:^|\s)(?:footnotes|endnotes|rearnotes|doc-endnotes)(?:\s|$)/.test(kindOf(element));
}

function isReference(element: HtmlElement): boolean {
  return attribute(element, "href").startsWith("#") && /\bnoteref\b|\bdoc-noteref\b/.test(kindOf(element));
}

function listedIds(group: HtmlElement): string[] {
  const ids: string[] = [];
  visitElements(group, (element) => {
    const id = attribute(element, "id");
    if (id !== "" && element.name === "li") ids.push(id);
  });
  return ids;
}

/** Writes a note, a list of notes, or a link back from a note; false when the element is none of these. */
export function writeNote(element: HtmlElement, writer: FlowWriter): boolean {
  const { noteIds } = writer.page;
  if (noteIds.size === 0) return false;
  if (isBackLink(element)) return true;
  const id = attribute(element, "id");
  if (noteIds.has(id) && element.name !== "a") {
    const inner = writer.child();
    inner.writeChildren(element);
    const blocks = inner.finish();
    if (blocks.length > 0) writer.block({ type: "footnote", id, blocks });
    return true;
  }
  if (element.name !== "ol" && element.name !== "ul") return false;
  const items = element.children.filter((child) => typeof child !== "string");
  if (!items.every((item) => noteIds.has(attribute(item, "id"))) || items.length === 0) return false;
  for (const item of items) writeNote(item, writer);
  return true;
}

function isBackLink(element: HtmlElement): boolean {
  return element.name === "a" && /\b(?:doc-backlink|backlink|referrer)\b/.test(kindOf(element));
}
