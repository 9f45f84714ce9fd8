import type { Block } from "../../document/document.ts";
import type { ReadDocument } from "../reader.ts";
import { warnOfQuotedText } from "../drop-quoted-text.ts";
import { findBoilerplate } from "./boilerplate.ts";
import { decodeHtml } from "./decode-html.ts";
import { FlowWriter, type Page } from "./flow-writer.ts";
import { readMetadata } from "./html-metadata.ts";
import { attribute, type HtmlElement, visitElements } from "./html-node.ts";
import { parseHtml } from "./parse-html.ts";
import { writeElement } from "./write-element.ts";
import { findNoteIds } from "./write-note.ts";

/** Reads HTML and XHTML: all that a browser would show without running scripts or style sheets. */
export const readHtml: ReadDocument = (input, context) => {
  const html = decodeHtml(input, context);
  const isXml = input.format === "xhtml" || /^\s*<\?xml[\s>]/.test(html.slice(0, 256));
  const { root, flattenedCount } = parseHtml(html, { isXml, maxDepth: context.budget.limits.maxMarkupDepth });
  let page: Page = {
    budget: context.budget,
    wantsImageBytes: context.options.images === "data_uri",
    showsNoscript: false,
    noteIds: findNoteIds(root),
    boilerplate: context.options.boilerplate === "drop" ? findBoilerplate(root) : new Set(),
    dropsQuotedMail: context.options.quotedText === "drop",
    boilerplateWords: 0,
    quotedWords: 0,
    hiddenWords: 0,
    drawnWords: 0,
    warn: (sentence) => context.warn(sentence),
    writeElement,
    ...findScripts(root),
  };
  let blocks = write(root, page);
  // A page that is nothing but furniture, or a message that only quotes, is read whole.
  if (blocks.length === 0 && page.boilerplateWords + page.quotedWords > 0) {
    page = { ...page, boilerplate: new Set(), dropsQuotedMail: false, boilerplateWords: 0, quotedWords: 0 };
    blocks = write(root, page);
  }
  if (blocks.length === 0 && page.hiddenWords > 0) {
    const bare: Page = { ...page, showsNoscript: true, hiddenWords: 0, drawnWords: 0 };
    blocks = write(root, bare);
    page.hiddenWords = bare.hiddenWords;
    page.drawnWords = bare.drawnWords;
  }
  if (flattenedCount > 0) {
    context.warn(
      `Elements more than ${context.budget.limits.maxMarkupDepth} deep were kept as text without structure (elements: ${flattenedCount}).`,
    );
  }
  if (page.boilerplateWords > 0)
    context.warn(`Navigation and other furniture of the page was left out (words: ${page.boilerplateWords}).`);
  warnOfQuotedText(page.quotedWords, context);
  if (page.hiddenWords > 0) context.warn(`Text that the page hides was left out (words: ${page.hiddenWords}).`);
  if (page.drawnWords > 0) context.warn(`Text in drawings (SVG) was left out (words: ${page.drawnWords}).`);
  return { metadata: readMetadata(root), blocks };
};

function write(root: HtmlElement, page: Page): Block[] {
  const writer = new FlowWriter(page);
  writer.writeChildren(root);
  return writer.finish();
}

function findScripts(root: HtmlElement): Pick<Page, "hasTexScript" | "hasFormulaScripts"> {
  let hasTexScript = false;
  let hasFormulaScripts = false;
  visitElements(root, (element) => {
    if (element.name !== "script") return;
    hasTexScript ||= /mathjax|katex/i.test(attribute(element, "src"));
    hasFormulaScripts ||= attribute(element, "type").toLowerCase().startsWith("math/tex");
  });
  return { hasTexScript, hasFormulaScripts };
}
