import type { Block, ImageBlock, ImageContent, Inline } from "../../document/document.ts";
import type { FlowWriter } from "./flow-writer.ts";
import { attribute, elementChildren, findElement, type HtmlElement, hasClass } from "./html-node.ts";

/** Writes a picture; formulas shown as pictures become formulas, and spacers are left out. */
export function writeImage(element: HtmlElement, writer: FlowWriter): void {
  const alt = attribute(element, "alt").replace(/\s+/g, " ");
  if (isFormula(element)) {
    if (alt !== "") writer.inline({ type: "formula", notation: "latex", text: stripDisplayStyle(alt) });
    return;
  }
  if (isSpacer(element, alt)) return;
  writer.inline({ type: "image", alt, ...pictureOf(element, writer) });
}

function isFormula(element: HtmlElement): boolean {
  return hasClass(element, "tex") || /\bmwe-math-fallback-image/.test(attribute(element, "class"));
}

/** LaTeX without the `{\displaystyle …}` that MediaWiki puts around it. */
export function stripDisplayStyle(latex: string): string {
  return /^\{\\(?:displaystyle|textstyle) ([\s\S]*)\}$/.exec(latex.trim())?.[1]?.trim() ?? latex.trim();
}

function isSpacer(element: HtmlElement, alt: string): boolean {
  return (
    alt === "" && [attribute(element, "width"), attribute(element, "height")].some((size) => /^[01](?:px)?$/.test(size))
  );
}

function pictureOf(element: HtmlElement, { page }: FlowWriter): Omit<ImageContent, "alt"> {
  const address = ["src", "data-src", "data-original", "data-lazy-src", "srcset", "data-srcset"]
    .map((name) => addressOf(attribute(element, name), name))
    .find((candidate) => candidate !== "");
  if (address !== undefined) return { reference: address };
  const bytes = page.wantsImageBytes ? bytesOf(attribute(element, "src")) : undefined;
  return bytes === undefined ? {} : { data: bytes };
}

function addressOf(value: string, name: string): string {
  const address = name.endsWith("srcset") ? (value.split(/[\s,]+/)[0] ?? "") : value;
  if (/^(?:data|javascript|about):/i.test(address) || address.length > 8192) return "";
  return address.replace(/^cid:/i, "");
}

function bytesOf(address: string): ImageContent["data"] {
  const match = /^data:(image\/[\w.+-]+);base64,/i.exec(address);
  const mediaType = match?.[1]?.toLowerCase();
  if (match === null || mediaType === undefined) return undefined;
  const bytes = Buffer.from(address.slice(match[0].length), "base64");
  return bytes.length === 0 ? undefined : { mediaType, bytes };
}

/** Writes a figure: one picture or table takes the caption, anything else has it as a paragraph of its own. */
export function writeFigure(element: HtmlElement, writer: FlowWriter): void {
  const captionElement = findElement(element, ({ name }) => name === "figcaption");
  const body = writer.child();
  for (const child of element.children) {
    if (typeof child === "string") body.text(child);
    else if (child !== captionElement) body.page.writeElement(child, body);
  }
  const caption = writer.child();
  if (captionElement !== undefined && elementChildren(element).includes(captionElement)) {
    caption.page.writeElement(captionElement, caption);
  }
  for (const block of withCaption(body.finish(), caption.finish())) writer.block(block);
}

function withCaption(body: readonly Block[], caption: readonly Block[]): readonly Block[] {
  const [only] = body;
  const [line] = caption;
  if (body.length !== 1 || caption.length !== 1 || only === undefined || line?.type !== "paragraph") {
    return [...body, ...caption];
  }
  const image = only.type === "image" ? only : linkedImage(only);
  if (image !== undefined && image.caption === undefined) return [{ ...image, caption: line.inlines }];
  if (only.type === "table" && only.caption === undefined) return [{ ...only, caption: line.inlines }];
  return [...body, ...caption];
}

function linkedImage(block: Block): ImageBlock | undefined {
  if (block.type !== "paragraph" || block.inlines.length !== 1) return undefined;
  const link = block.inlines[0] as Inline;
  if (typeof link === "string" || link.type !== "link" || link.inlines.length !== 1) return undefined;
  const image = link.inlines[0] as Inline;
  return typeof image !== "string" && image.type === "image" ? image : undefined;
}
