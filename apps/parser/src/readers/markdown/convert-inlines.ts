import type { Inline } from "../../document/document.ts";
import { attributeOf, htmlElements, type InlineTag, parseInlineTag } from "./inline-tags.ts";
import type { NodeOf } from "./parse-markdown.ts";

type Phrasing = NodeOf<"paragraph">["children"][number];
type LinkReference = Extract<Phrasing, { readonly type: "linkReference" | "imageReference" }>;

/** What inlines need to know of their document. */
export interface InlineScope {
  /** The address that a reference of this identifier stands for. */
  targetOf(identifier: string): string | undefined;
  readonly isCell: boolean;
}

/** Phrasing content as inlines; inline HTML becomes the style, link, image or line break that it means. */
export function convertInlines(nodes: readonly Phrasing[], scope: InlineScope): Inline[] {
  const writer = new InlineWriter();
  for (const node of nodes) {
    if (node.type === "html") writer.addHtml(node.value);
    else writer.add(...convertNode(node, scope));
  }
  return writer.finish();
}

function convertNode(node: Exclude<Phrasing, { readonly type: "html" }>, scope: InlineScope): Inline[] {
  switch (node.type) {
    case "text":
      return [joinWrittenLines(node.value)];
    case "emphasis":
    case "strong":
      return [{ type: node.type, inlines: convertInlines(node.children, scope) }];
    case "delete":
      return convertInlines(node.children, scope);
    case "break":
      return [{ type: "lineBreak" }];
    case "inlineCode":
      return [{ type: "code", text: node.value }];
    case "inlineMath":
      return [{ type: "formula", notation: "latex", text: formulaText(node.value, scope) }];
    case "footnoteReference":
      return [{ type: "noteReference", id: node.label ?? node.identifier }];
    default:
      return convertResource(node, scope);
  }
}

type Resource = LinkReference | Extract<Phrasing, { readonly type: "link" | "image" }>;

function convertResource(node: Resource, scope: InlineScope): Inline[] {
  switch (node.type) {
    case "link":
      return [{ type: "link", target: node.url, inlines: convertInlines(node.children, scope) }];
    case "linkReference":
      return [
        { type: "link", target: scope.targetOf(node.identifier) ?? "", inlines: convertInlines(node.children, scope) },
      ];
    case "image":
      return [toImage(node.alt ?? "", node.url)];
    case "imageReference":
    default:
      return [toImage(node.alt ?? "", scope.targetOf(node.identifier) ?? "")];
  }
}

function toImage(alt: string, reference: string): Inline {
  return { type: "image", alt, ...(reference !== "" && { reference }) };
}

// Lines of Chinese and Japanese join without the space that a line end stands for elsewhere.
function joinWrittenLines(text: string): string {
  if (!text.includes("\n")) return text;
  return text.replaceAll(/(?<=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}])\n(?=[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}])/gu, "");
}

// GFM unescapes vertical lines of cells in code; formulas need the same.
function formulaText(value: string, { isCell }: InlineScope): string {
  return (isCell ? value.replaceAll("\\|", "|") : value).trim();
}

const styles = {
  b: "strong",
  strong: "strong",
  i: "emphasis",
  em: "emphasis",
  sup: "superscript",
  sub: "subscript",
} as const;

interface OpenElement {
  readonly tag: InlineTag;
  readonly inlines: Inline[];
}

/** Collects inlines, putting those between an opening and a closing tag into what the element means. */
class InlineWriter {
  readonly #open: OpenElement[] = [];
  readonly #inlines: Inline[] = [];

  add(...inlines: Inline[]): void {
    (this.#open.at(-1)?.inlines ?? this.#inlines).push(...inlines);
  }

  addHtml(html: string): void {
    const tag = parseInlineTag(html);
    if (tag === undefined) return; // a comment
    if (!htmlElements.has(tag.name)) this.add(html);
    else if (tag.name === "br") this.add({ type: "lineBreak" });
    else if (tag.name === "img") this.add(toImage(attributeOf(tag, "alt") ?? "", attributeOf(tag, "src") ?? ""));
    else if (tag.isClosing) this.#close(tag.name);
    else if (isMeaningful(tag.name) && !html.endsWith("/>")) this.#open.push({ tag, inlines: [] });
  }

  finish(): Inline[] {
    while (this.#open.length > 0) this.#closeLast();
    return this.#inlines;
  }

  #close(name: string): void {
    if (!this.#open.some(({ tag }) => tag.name === name)) return;
    while (this.#open.at(-1)?.tag.name !== name) this.#closeLast();
    this.#closeLast();
  }

  #closeLast(): void {
    const element = this.#open.pop();
    if (element !== undefined) this.add(...wrap(element));
  }
}

function isMeaningful(name: string): boolean {
  return name in styles || name === "a" || name === "code" || name === "samp" || name === "tt" || name === "kbd";
}

function wrap({ tag, inlines }: OpenElement): Inline[] {
  const style = styles[tag.name as keyof typeof styles];
  if (style !== undefined) return [{ type: style, inlines }];
  if (tag.name !== "a") return toCode(inlines);
  const target = attributeOf(tag, "href");
  return target === undefined ? inlines : [{ type: "link", target, inlines }];
}

// Only text can be code; other inlines between the tags stay what they are.
function toCode(inlines: readonly Inline[]): Inline[] {
  return inlines.map((inline) => (typeof inline === "string" ? { type: "code", text: inline } : inline));
}
