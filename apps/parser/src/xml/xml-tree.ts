import { walkXml } from "./walk-xml.ts";

/** An element of a small XML document held as a tree; the name has no prefix. */
export interface XmlElement {
  readonly name: string;
  /** By name as written, with its prefix. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Elements and runs of text, entities resolved. */
  readonly children: readonly (XmlElement | string)[];
}

interface OpenElement extends XmlElement {
  readonly children: (XmlElement | string)[];
}

/**
 * The tree of an XML document; the element returned has the root as its only child. A document type declaration without
 * declarations of its own is skipped, any other is refused.
 * @throws AppError as `walkXml` does.
 */
export function parseXmlTree(xml: string, maxDepth: number): XmlElement {
  const document: OpenElement = { name: "", attributes: new Map(), children: [] };
  const stack: OpenElement[] = [document];
  const visitor = {
    open: (name: string, attributes: { entries(): Iterable<[string, string]> }): void => {
      const element: OpenElement = { name: localName(name), attributes: new Map(attributes.entries()), children: [] };
      stack.at(-1)?.children.push(element);
      stack.push(element);
    },
    close: (): void => void stack.pop(),
    text: (text: string): void => void stack.at(-1)?.children.push(text),
  };
  walkXml(withoutDoctype(xml), visitor, { maxDepth });
  return document;
}

/** The text without a document type declaration that names only a public or system identifier. */
function withoutDoctype(xml: string): string {
  const at = endOfProlog(xml);
  const doctype = /<!DOCTYPE\s[^[>]{0,2000}>/iy;
  doctype.lastIndex = at;
  return doctype.test(xml) ? xml.slice(0, at) + xml.slice(doctype.lastIndex) : xml;
}

/** Where the first tag or declaration begins that is no instruction and no comment. */
function endOfProlog(xml: string): number {
  let at = xml.indexOf("<");
  while (at !== -1) {
    if (xml.startsWith("<?", at)) at = afterMark(xml, "?>", at);
    else if (xml.startsWith("<!--", at)) at = afterMark(xml, "-->", at + 4);
    else return at;
    at = xml.indexOf("<", at);
  }
  return xml.length;
}

function afterMark(xml: string, mark: string, from: number): number {
  const at = xml.indexOf(mark, from);
  return at === -1 ? xml.length : at + mark.length;
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** The elements directly inside, of one name when it is given. */
export function childElements(element: XmlElement, name?: string): XmlElement[] {
  return element.children.filter(
    (child): child is XmlElement => typeof child !== "string" && (name === undefined || child.name === name),
  );
}

/** The first element of this name anywhere below, in document order. */
export function findDescendant(element: XmlElement, name: string): XmlElement | undefined {
  for (const child of childElements(element)) {
    const found = child.name === name ? child : findDescendant(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** All text below, white space collapsed and trimmed. */
export function elementText(element: XmlElement | undefined): string {
  return element === undefined ? "" : rawText(element).replace(/\s+/g, " ").trim();
}

function rawText(element: XmlElement): string {
  return element.children.map((child) => (typeof child === "string" ? child : rawText(child))).join("");
}
