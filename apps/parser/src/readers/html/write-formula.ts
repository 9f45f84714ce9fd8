import { mathmlToLatex } from "../../math/mathml-to-latex.ts";
import type { FlowWriter } from "./flow-writer.ts";
import { attribute, findElement, type HtmlElement, hasClass, textOf } from "./html-node.ts";
import { stripDisplayStyle } from "./write-image.ts";

const outputClass =
  /(?:^|\s)(?:MathJax(?:_Display|_SVG(?:_Display)?|_CHTML|_Error)?|mwe-math-element|katex-display|katex)(?:\s|$)/;

/** Writes what KaTeX, MathJax or MediaWiki made of a formula; false for other elements and where nothing tells its source. */
export function writeFormulaOutput(element: HtmlElement, writer: FlowWriter): boolean {
  const value = element.name === "mjx-container" ? "MathJax" : attribute(element, "class");
  if (!outputClass.test(value)) return false;
  return (writer.page.hasFormulaScripts && value.includes("MathJax")) || writeFormula(element, writer);
}

/** Writes a formula from the MathML inside `element`, or its `math`; false when it has none. */
export function writeFormula(element: HtmlElement, writer: FlowWriter): boolean {
  const math = element.name === "math" ? element : findElement(element, ({ name }) => name === "math");
  if (math === undefined) return false;
  const latex = latexOf(math);
  if (latex === "") return true;
  const isDisplay =
    attribute(math, "display") === "block" ||
    attribute(math, "mode") === "display" ||
    hasClass(element, "katex-display") ||
    hasClass(element, "MathJax_Display") ||
    attribute(element, "display") === "true";
  writeLatex(latex, isDisplay, writer);
  return true;
}

function latexOf(math: HtmlElement): string {
  const annotation = findElement(
    math,
    (element) => element.name === "annotation" && /tex/i.test(attribute(element, "encoding")),
  );
  const source = annotation === undefined ? attribute(math, "alttext") : textOf(annotation);
  return stripDisplayStyle(source) || mathmlToLatex(math);
}

/** Writes `<script type="math/tex">`, the source that MathJax 2 keeps; false for other scripts. */
export function writeFormulaScript(element: HtmlElement, writer: FlowWriter): boolean {
  const type = attribute(element, "type").toLowerCase();
  if (element.name !== "script" || !type.startsWith("math/")) return false;
  const source = textOf(element)
    .trim()
    .replace(/^<!\[CDATA\[|\]\]>$/g, "");
  if (type.startsWith("math/tex") && source !== "") writeLatex(source.trim(), /mode=display/.test(type), writer);
  return true;
}

function writeLatex(latex: string, isDisplay: boolean, writer: FlowWriter): void {
  if (isDisplay) writer.displayFormula(latex);
  else writer.inline({ type: "formula", notation: "latex", text: latex });
}
