import { childElements, findDescendant, parseXmlTree, type XmlElement } from "../../../apps/parser/src/xml/xml-tree.ts";

/**
 * The true Markdown of an article from its publisher's JATS: title, abstract, body with its tables where they are written, and
 * references. Tables are JATS's own, which are those of XHTML.
 */
export function jatsToMarkdown(xml: string): string {
  const root = parseXmlTree(xml, 512);
  const blocks: string[] = [];
  const title = findDescendant(root, "article-title");
  if (title !== undefined) blocks.push(`# ${wordsOf(title)}`);
  for (const name of ["abstract", "body", "ref-list"]) {
    const part = findDescendant(root, name);
    if (part !== undefined) writeBlocks(part, 0, blocks);
  }
  return `${blocks.join("\n\n")}\n`;
}

const leftOut = new Set(["tex-math", "object-id", "pub-id", "graphic", "supplementary-material"]);
const apart = /^(?:p|title|label|td|th|name|surname|given-names|article-title|source|year|volume|fpage|lpage)$/;
const floating = new Set(["table-wrap", "fig", "boxed-text", "disp-quote", "list"]);

function writeBlocks(element: XmlElement, depth: number, blocks: string[]): void {
  for (const child of childElements(element)) writeBlock(child, depth, blocks);
}

function writeBlock(element: XmlElement, depth: number, blocks: string[]): void {
  switch (element.name) {
    case "title":
      push(blocks, `${"#".repeat(Math.min(6, Math.max(2, depth + 1)))} `, wordsOf(element));
      return;
    case "p":
      push(blocks, "", wordsOf(element));
      writeFloats(element, depth, blocks);
      return;
    case "ref":
    case "disp-formula":
      push(blocks, "", wordsOf(element));
      return;
    case "list-item":
      push(blocks, "- ", wordsOf(element));
      return;
    case "table-wrap":
      writeTable(element, blocks);
      return;
    case "fig":
      push(blocks, "", captionOf(element));
      return;
    default:
      writeBlocks(element, element.name === "sec" ? depth + 1 : depth, blocks);
  }
}

function writeFloats(paragraph: XmlElement, depth: number, blocks: string[]): void {
  for (const child of childElements(paragraph)) {
    if (floating.has(child.name)) writeBlock(child, depth, blocks);
  }
}

function writeTable(wrap: XmlElement, blocks: string[]): void {
  push(blocks, "", captionOf(wrap));
  const table = findDescendant(wrap, "table");
  if (table !== undefined) blocks.push(toHtml(table));
  const foot = findDescendant(wrap, "table-wrap-foot");
  if (foot !== undefined) push(blocks, "", wordsOf(foot));
}

function captionOf(element: XmlElement): string {
  const parts = childElements(element).filter(({ name }) => name === "label" || name === "caption");
  return parts.map(wordsOf).join(" ");
}

function toHtml({ name, attributes, children }: XmlElement): string {
  if (name === "td" || name === "th") {
    const spans = ["colspan", "rowspan"].flatMap((span) => {
      const count = attributes.get(span);
      return count === undefined || count === "1" ? [] : [` ${span}="${count}"`];
    });
    return `<td${spans.join("")}>${escapeHtml(wordsOf({ name, attributes, children }))}</td>`;
  }
  const inside = childElements({ name, attributes, children }).map(toHtml).join("");
  if (name === "tr" || name === "table") return `<${name}>${inside}</${name}>`;
  return name === "col" || name === "colgroup" ? "" : inside;
}

/** Words of an element, without those that float out of it. */
function wordsOf(node: XmlElement | string): string {
  return textOf(node).replaceAll(/\s+/g, " ").trim();
}

function textOf(node: XmlElement | string): string {
  if (typeof node === "string") return node;
  const space = apart.test(node.name) ? " " : "";
  const inside = node.children.filter((child) => typeof child === "string" || !isOutOfLine(child));
  return space + inside.map(textOf).join("") + space;
}

function isOutOfLine({ name }: XmlElement): boolean {
  return leftOut.has(name) || floating.has(name);
}

function push(blocks: string[], mark: string, words: string): void {
  if (words !== "") blocks.push(mark + words);
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
