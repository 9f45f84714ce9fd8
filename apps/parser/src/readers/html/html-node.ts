/** An element of a page; names and attribute names are lower case, without the prefixes of HTML, MathML and SVG. */
export interface HtmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: HtmlNode[];
}

/** A string is a run of text, entities resolved, white space as written. */
export type HtmlNode = HtmlElement | string;

/** All text inside a node, as written. */
export function textOf(node: HtmlNode): string {
  return typeof node === "string" ? node : node.children.map(textOf).join("");
}

/** The first element below `element`, in document order, that satisfies `isWanted`. */
export function findElement(
  element: HtmlElement,
  isWanted: (candidate: HtmlElement) => boolean,
): HtmlElement | undefined {
  for (const child of element.children) {
    if (typeof child === "string") continue;
    const found = isWanted(child) ? child : findElement(child, isWanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Calls `visit` for `element` and every element below it, in document order. */
export function visitElements(element: HtmlElement, visit: (element: HtmlElement) => void): void {
  visit(element);
  for (const child of element.children) {
    if (typeof child !== "string") visitElements(child, visit);
  }
}

export function elementChildren(element: HtmlElement): HtmlElement[] {
  return element.children.filter((child) => typeof child !== "string");
}

export function hasClass(element: HtmlElement, name: string): boolean {
  const value = element.attributes.get("class");
  return value !== undefined && value.includes(name) && value.split(/\s+/).includes(name);
}

export function attribute(element: HtmlElement, name: string): string {
  return element.attributes.get(name)?.trim() ?? "";
}
