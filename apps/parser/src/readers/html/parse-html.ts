import { AppError } from "@attune/service-kit/app-error.ts";
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import type { HtmlElement } from "./html-node.ts";
import {
  formattingElements,
  headElements,
  impliedEnds,
  specialElements,
  tableParts,
  tableScope,
  voidElements,
} from "./tree-rules.ts";

export interface ParseHtmlOptions {
  /** XML syntax: every element may close itself, CDATA sections are text. */
  readonly isXml: boolean;
  /** Elements inside one another; what lies deeper is kept as content of the deepest element allowed. */
  readonly maxDepth: number;
}

export interface HtmlTree {
  /** Stands for `html`; its attributes are those of the `html` and `body` tags. */
  readonly root: HtmlElement;
  /** Elements that lay deeper than allowed. */
  readonly flattenedCount: number;
}

/**
 * Builds the tree of an HTML page, correcting what authors leave out as browsers do. Linear in the text for any bound on
 * depth. Comments are left out; entities are the named ones of HTML, and no declaration adds any.
 * @throws AppError `MARKUP_REFUSED` for a document type declaration of an XML page that declares entities.
 */
export function parseHtml(html: string, options: ParseHtmlOptions): HtmlTree {
  const builder = new TreeBuilder(html, options);
  const tokenizer = new Tokenizer({ recognizeSelfClosing: options.isXml }, builder);
  tokenizer.write(html);
  tokenizer.end();
  return builder.finish();
}

const noAttributes: ReadonlyMap<string, string> = new Map();
const maxAttributes = 256;
const knownPrefix = /^(?:h|html|xhtml|m|mml|math|mathml|svg):/;

interface OpenElement extends HtmlElement {
  attributes: ReadonlyMap<string, string>;
}

class TreeBuilder implements TokenizerCallbacks {
  readonly #html: string;
  readonly #options: ParseHtmlOptions;
  readonly #rootAttributes = new Map<string, string>();
  readonly #stack: OpenElement[];
  // How many elements of a name are open, so that most searches of the stack need not be made.
  readonly #openCounts = new Map<string, number>();
  // Start tags that were flattened for depth and not ended yet, by name.
  readonly #flattened = new Map<string, number>();
  #flattenedCount = 0;
  #text = "";
  #tagName = "";
  #attributes: Map<string, string> | undefined;
  #attributeName = "";
  #attributeValue = "";

  constructor(html: string, options: ParseHtmlOptions) {
    this.#html = html;
    this.#options = options;
    this.#stack = [{ name: "html", attributes: this.#rootAttributes, children: [] }];
  }

  finish(): HtmlTree {
    this.#flushText();
    return { root: this.#stack[0] as HtmlElement, flattenedCount: this.#flattenedCount };
  }

  ontext(start: number, end: number): void {
    this.#text += this.#html.slice(start, end);
  }

  ontextentity(codePoint: number): void {
    this.#text += String.fromCodePoint(codePoint);
  }

  oncdata(start: number, end: number, endOffset: number): void {
    this.#text += this.#html.slice(start, end - endOffset);
  }

  onopentagname(start: number, end: number): void {
    this.#flushText();
    this.#tagName = this.#toName(start, end);
    this.#attributes = undefined;
  }

  onattribname(start: number, end: number): void {
    this.#attributeName = this.#html.slice(start, end).toLowerCase();
    this.#attributeValue = "";
  }

  onattribdata(start: number, end: number): void {
    this.#attributeValue += this.#html.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    this.#attributeValue += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    this.#attributes ??= new Map();
    if (this.#attributes.size < maxAttributes && !this.#attributes.has(this.#attributeName)) {
      this.#attributes.set(this.#attributeName, this.#attributeValue);
    }
  }

  onopentagend(): void {
    this.#open(this.#tagName, this.#attributes ?? noAttributes);
  }

  onselfclosingtag(): void {
    const name = this.#tagName;
    this.#open(name, this.#attributes ?? noAttributes);
    const canCloseItself = this.#options.isXml || this.isInForeignContext() || name === "math" || name === "svg";
    if (canCloseItself && !voidElements.has(name) && this.#top.name === name) this.#pop();
  }

  onclosetag(start: number, end: number): void {
    this.#flushText();
    this.#close(this.#toName(start, end));
  }

  // An internal subset can only matter to XML processors, so HTML pages that carry one are read without it.
  ondeclaration(start: number, end: number): void {
    if (this.#options.isXml && /^\s*doctype[^[]*\[/i.test(this.#html.slice(start, Math.min(end, start + 2048)))) {
      throw new AppError("MARKUP_REFUSED", { detail: "Its document type declaration has declarations of its own." });
    }
  }

  oncomment(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  isInForeignContext(): boolean {
    return this.#isOpen("svg") || this.#isOpen("math");
  }

  #toName(start: number, end: number): string {
    return this.#html.slice(start, end).toLowerCase().replace(knownPrefix, "");
  }

  get #top(): OpenElement {
    return this.#stack.at(-1) as OpenElement;
  }

  #isOpen(name: string): boolean {
    return (this.#openCounts.get(name) ?? 0) > 0;
  }

  #flushText(): void {
    if (this.#text === "") return;
    if (this.#top.name === "head" && /\S/.test(this.#text)) this.#pop();
    this.#top.children.push(this.#text);
    this.#text = "";
  }

  #open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (name === "html" || name === "body") return this.#openPage(attributes);
    if (this.#top.name === "head" && !headElements.has(name)) this.#pop();
    this.#endImplied(name);
    if (voidElements.has(name)) {
      this.#top.children.push({ name, attributes, children: [] });
    } else if (this.#stack.length >= this.#options.maxDepth) {
      this.#flattenedCount++;
      this.#flattened.set(name, (this.#flattened.get(name) ?? 0) + 1);
    } else this.#push({ name, attributes, children: [] });
  }

  #openPage(attributes: ReadonlyMap<string, string>): void {
    if (this.#top.name === "head") this.#pop();
    for (const [name, value] of attributes) {
      if (!this.#rootAttributes.has(name)) this.#rootAttributes.set(name, value);
    }
  }

  #endImplied(name: string): void {
    const rule = impliedEnds.get(name);
    if (rule === undefined) return;
    let outermost = -1;
    for (let at = this.#stack.length - 1; at > 0; at--) {
      const open = (this.#stack[at] as OpenElement).name;
      if (rule.closes.has(open)) outermost = at;
      else if (rule.stopsAt.has(open)) break;
    }
    if (outermost !== -1) this.#popTo(outermost);
  }

  #close(name: string): void {
    if (name === "html" || name === "body") return;
    const flattened = this.#flattened.get(name) ?? 0;
    if (flattened > 0) this.#flattened.set(name, flattened - 1);
    else if (this.#isOpen(name)) this.#closeOpen(name);
    else if (name === "p") this.#top.children.push({ name, attributes: noAttributes, children: [] });
    else if (name === "br") this.#top.children.push({ name, attributes: noAttributes, children: [] });
  }

  #closeOpen(name: string): void {
    const isPart = tableParts.has(name);
    const isInline = !specialElements.has(name);
    let isBlockBetween = false;
    for (let at = this.#stack.length - 1; at > 0; at--) {
      const open = (this.#stack[at] as OpenElement).name;
      if (open === name) {
        // A formatting element that ends inside a block which began in it: the block goes on without it.
        if (isBlockBetween && formattingElements.has(name)) this.#remove(at);
        else if (!(isBlockBetween && isInline)) this.#popTo(at);
        return;
      }
      if (isPart ? open === "table" : tableScope.has(open)) return;
      isBlockBetween ||= specialElements.has(open);
    }
  }

  #push(element: OpenElement): void {
    this.#top.children.push(element);
    this.#stack.push(element);
    this.#count(element.name, 1);
  }

  #pop(): void {
    const element = this.#stack.pop();
    if (element !== undefined) this.#count(element.name, -1);
  }

  #popTo(index: number): void {
    while (this.#stack.length > index) this.#pop();
  }

  #remove(index: number): void {
    const [element] = this.#stack.splice(index, 1);
    if (element !== undefined) this.#count(element.name, -1);
  }

  #count(name: string, change: number): void {
    this.#openCounts.set(name, (this.#openCounts.get(name) ?? 0) + change);
  }
}
