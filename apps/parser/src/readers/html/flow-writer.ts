import type { Block, Inline } from "../../document/document.ts";
import type { Budget } from "../../limits/budget.ts";
import type { HtmlElement } from "./html-node.ts";
import { InlineBuilder, type Wrap } from "./inline-builder.ts";
import { splitFormulas } from "./split-formulas.ts";

/** What all parts of one page share. */
export interface Page {
  readonly budget: Budget;
  /** Whether pictures inside `data:` addresses are wanted. */
  readonly wantsImageBytes: boolean;
  /** Whether a script of the page turns `\(…\)` into formulas. */
  readonly hasTexScript: boolean;
  /** Whether the page keeps the sources of its formulas in scripts, beside what was made of them. */
  readonly hasFormulaScripts: boolean;
  /** Whether there is nothing to read but what the page has for browsers without scripts. */
  readonly showsNoscript: boolean;
  /** Ids of elements that are written as footnotes. */
  readonly noteIds: ReadonlySet<string>;
  /** Elements that are not what the page is about, where the caller wants them left out. */
  readonly boilerplate: ReadonlySet<HtmlElement>;
  /** Whether quoted mail and signatures are left out. */
  readonly dropsQuotedMail: boolean;
  /** Words of either that are left out. */
  boilerplateWords: number;
  quotedWords: number;
  /** Words that browsers do not show and that are left out. */
  hiddenWords: number;
  /** Words of drawings (SVG) that are left out. */
  drawnWords: number;
  readonly warn: (sentence: string) => void;
  readonly writeElement: (element: HtmlElement, writer: FlowWriter) => void;
}

/** Writes the content of one container (page, list item, cell, quote) as blocks, paragraph by paragraph. */
export class FlowWriter {
  readonly page: Page;
  readonly #blocks: Block[] = [];
  readonly #wraps: Wrap[];
  #builder = new InlineBuilder();

  /** `wraps` are those that hold where the container begins, outermost first. */
  constructor(page: Page, wraps: readonly Wrap[] = []) {
    this.page = page;
    this.#wraps = [...wraps];
    this.#openWraps();
  }

  /** A writer for a container inside this one. */
  child(): FlowWriter {
    return new FlowWriter(this.page, this.#wraps);
  }

  /** The blocks of an element that is a container of its own. */
  contentOf(element: HtmlElement): Block[] {
    const [only] = element.children;
    if (only === undefined) return [];
    if (
      element.children.length === 1 &&
      typeof only === "string" &&
      this.#wraps.length === 0 &&
      !this.page.hasTexScript
    ) {
      const text = only.replace(/[ \t\n\f\r]+/g, " ").trim();
      return text === "" ? [] : [{ type: "paragraph", inlines: [text] }];
    }
    const inner = this.child();
    inner.writeChildren(element);
    return inner.finish();
  }

  writeChildren(element: HtmlElement): void {
    for (const child of element.children) {
      if (typeof child === "string") this.text(child);
      else this.page.writeElement(child, this);
    }
  }

  text(raw: string): void {
    if (this.page.hasTexScript && /\\[([]|\$\$/.test(raw)) this.#textWithFormulas(raw);
    else this.#builder.text(raw);
  }

  inline(inline: Inline): void {
    this.#builder.inline(inline);
  }

  /** A formula that stands on a line of its own. */
  displayFormula(latex: string): void {
    this.block({ type: "formula", notation: "latex", text: latex });
  }

  /** One break is a new line; two are a new paragraph, which is what authors mean by them. */
  lineBreak(): void {
    if (this.#builder.endsWithBreak) this.flush();
    else if (!this.#builder.isEmpty) this.#builder.lineBreak();
  }

  /** Puts `wrap` around what `write` writes, unless it holds already. */
  wrapped(wrap: Wrap, write: () => void): void {
    if (this.#wraps.some(({ type }) => type === wrap.type)) return write();
    this.#wraps.push(wrap);
    this.#builder.open(wrap);
    write();
    this.#builder.close();
    this.#wraps.pop();
  }

  block(block: Block): void {
    this.flush();
    this.#blocks.push(block);
  }

  /** Ends the paragraph; writes nothing when it is empty. */
  flush(): void {
    if (!this.#builder.isEmpty) {
      const inlines = this.#builder.finish();
      if (inlines.length > 0) this.#blocks.push(toBlock(inlines));
      this.#builder = new InlineBuilder();
      this.#openWraps();
    }
  }

  finish(): Block[] {
    this.flush();
    return this.#blocks;
  }

  #textWithFormulas(raw: string): void {
    for (const piece of splitFormulas(raw)) {
      if (piece.kind === "text") this.#builder.text(piece.text);
      else if (piece.kind === "display") this.displayFormula(piece.text);
      else this.inline({ type: "formula", notation: "latex", text: piece.text });
    }
  }

  #openWraps(): void {
    for (const wrap of this.#wraps) this.#builder.open(wrap);
  }
}

function toBlock(inlines: Inline[]): Block {
  const [only] = inlines;
  if (inlines.length === 1 && typeof only === "object" && only.type === "image") return only;
  return { type: "paragraph", inlines };
}
