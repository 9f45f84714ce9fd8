import type { ImageContent, ImageData, Inline } from "../../document/document.ts";
import type { XmlElement } from "../../xml/xml-tree.ts";

export interface InlineContext {
  /** Ids of notes, so that a link to one is a reference to it. */
  readonly noteIds: ReadonlySet<string>;
  readonly pictures: ReadonlyMap<string, ImageData>;
}

const wraps: Readonly<Record<string, "strong" | "emphasis" | "superscript" | "subscript">> = {
  strong: "strong",
  emphasis: "emphasis",
  sup: "superscript",
  sub: "subscript",
};

/** The inlines of a paragraph; line ends in the file are spaces. */
export function writeInlines(element: XmlElement, context: InlineContext): Inline[] {
  const inlines = trimmed(inlinesOf(element, context));
  return inlines.every((inline) => inline === "") ? [] : inlines;
}

function inlinesOf(element: XmlElement, context: InlineContext): Inline[] {
  return element.children.flatMap((child): Inline[] => {
    if (typeof child === "string") return child === "" ? [] : [child.replace(/\s+/g, " ")];
    return writeElement(child, context);
  });
}

function writeElement(element: XmlElement, context: InlineContext): Inline[] {
  const wrap = wraps[element.name];
  if (element.name === "image") return [{ type: "image", ...pictureOf(element, context) }];
  const inlines = inlinesOf(element, context);
  if (element.name === "a") return writeLink(element, inlines, context);
  if (element.name === "code")
    return inlines.map((inline) => (typeof inline === "string" ? { type: "code", text: inline } : inline));
  return wrap === undefined || inlines.length === 0 ? inlines : [{ type: wrap, inlines }];
}

function writeLink(element: XmlElement, inlines: Inline[], { noteIds }: InlineContext): Inline[] {
  const target = hrefOf(element);
  if (target.startsWith("#") && noteIds.has(target.slice(1))) return [{ type: "noteReference", id: target.slice(1) }];
  return /^(?:https?|ftp|mailto):/i.test(target) ? [{ type: "link", target, inlines }] : inlines;
}

/** A picture by the name of its `binary`. */
export function pictureOf(element: XmlElement, { pictures }: InlineContext): ImageContent {
  const reference = hrefOf(element).replace(/^#/, "");
  const data = pictures.get(reference);
  const alt = element.attributes.get("alt") ?? element.attributes.get("title") ?? "";
  return { alt, ...(reference !== "" && { reference }), ...(data !== undefined && { data }) };
}

// XLink's attribute, whatever prefix the file has for it.
function hrefOf({ attributes }: XmlElement): string {
  for (const [name, value] of attributes) {
    if (name === "href" || name.endsWith(":href")) return value.trim();
  }
  return "";
}

function trimmed(inlines: Inline[]): Inline[] {
  const [first] = inlines;
  if (typeof first === "string") inlines[0] = first.trimStart();
  const last = inlines.at(-1);
  if (typeof last === "string") inlines[inlines.length - 1] = last.trimEnd();
  return inlines.filter((inline) => inline !== "");
}
