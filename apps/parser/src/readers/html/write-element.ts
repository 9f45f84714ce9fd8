import { countWords } from "./boilerplate.ts";
import { isFormulaCopy, isHidden } from "./hidden.ts";
import { attribute, elementChildren, type HtmlElement, textOf } from "./html-node.ts";
import type { FlowWriter } from "./flow-writer.ts";
import type { Wrap } from "./inline-builder.ts";
import { isQuotedMail } from "./quoted-mail.ts";
import { writeControl } from "./write-control.ts";
import { writeFormula, writeFormulaOutput, writeFormulaScript } from "./write-formula.ts";
import { writeHeading } from "./write-heading.ts";
import { writeFigure, writeImage } from "./write-image.ts";
import { writeLink } from "./write-link.ts";
import { writeDescriptionList, writeList } from "./write-list.ts";
import { writeNote } from "./write-note.ts";
import { writePreformatted } from "./write-preformatted.ts";
import { writeTable } from "./write-table.ts";

type WriteElement = (element: HtmlElement, writer: FlowWriter) => void;

/** Writes one element, by what it is and not by where it stands. */
export function writeElement(element: HtmlElement, writer: FlowWriter): void {
  const { name } = element;
  if (writeFormulaScript(element, writer) || dropped.has(name) || isFormulaCopy(element)) return;
  if (isHidden(element) || isUnseen(element, writer)) return countHidden(element, writer);
  if (leavesOut(element, writer)) return;
  if (writeNote(element, writer) || writeFormulaOutput(element, writer)) return;
  const write = writers.get(name);
  if (write !== undefined) return write(element, writer);
  if (attribute(element, "role") === "heading") return writeHeading(element, writer);
  if (blocks.has(name)) writeBlock(element, writer);
  else writeInline(element, writer);
}

const dropped = new Set(
  "script style head title meta link base audio video track source param area col colgroup rp datalist bgsound".split(
    " ",
  ),
);

// What the caller does not want, counted.
function leavesOut(element: HtmlElement, { page }: FlowWriter): boolean {
  if (page.boilerplate.has(element)) page.boilerplateWords += countWords(visibleTextOf(element));
  else if (page.dropsQuotedMail && isQuotedMail(element)) page.quotedWords += countWords(visibleTextOf(element));
  else return false;
  return true;
}

/** Elements whose content browsers replace by something else or keep closed; its words are counted. */
const unseen = new Set(["noscript", "iframe", "noembed"]);

function isUnseen({ name }: HtmlElement, { page }: FlowWriter): boolean {
  return unseen.has(name) && !(name === "noscript" && page.showsNoscript);
}

const blocks = new Set(
  (
    "address article aside blockquote body center details dialog div fieldset figcaption footer form frameset header " +
    "hgroup html legend main marquee nav noscript optgroup p search section summary"
  ).split(" "),
);

const wrapped =
  (type: Exclude<Wrap["type"], "link">): WriteElement =>
  (element, writer) =>
    writer.wrapped({ type }, () => writer.writeChildren(element));

const writeBreak: WriteElement = (_element, writer) => writer.lineBreak();
const writeRule: WriteElement = (_element, writer) => writer.flush();

const writers: ReadonlyMap<string, WriteElement> = new Map<string, WriteElement>([
  ...["h1", "h2", "h3", "h4", "h5", "h6"].map((name): [string, WriteElement] => [name, writeHeading]),
  ...["ul", "ol", "menu", "dir"].map((name): [string, WriteElement] => [name, writeList]),
  ...["pre", "listing", "xmp", "plaintext"].map((name): [string, WriteElement] => [name, writePreformatted]),
  ...["input", "select", "textarea"].map((name): [string, WriteElement] => [name, writeControl]),
  ...["code", "kbd", "samp", "tt"].map((name): [string, WriteElement] => [name, wrapped("code")]),
  ["b", writeStyled("strong")],
  ["strong", writeStyled("strong")],
  ...["i", "em", "cite", "dfn", "var"].map((name): [string, WriteElement] => [name, writeStyled("emphasis")]),
  ["sup", wrapped("superscript")],
  ["sub", wrapped("subscript")],
  ["a", writeLink],
  ["br", writeBreak],
  ["hr", writeRule],
  ["wbr", () => undefined],
  ["img", writeImage],
  ["figure", writeFigure],
  ["blockquote", writeQuote],
  ["table", writeTable],
  ["dl", writeDescriptionList],
  ["math", writeFormula],
  ["q", writeQuotation],
  ["rt", writeRuby],
  ["button", writeButton],
  ["noframes", writeNoframes],
  ["frame", writeFrame],
  ["epub:switch", writeSwitch],
  ["svg", countDrawn],
  ["template", writeTemplate],
]);

function writeBlock(element: HtmlElement, writer: FlowWriter): void {
  if (element.name === "dialog" && !element.attributes.has("open")) return countHidden(element, writer);
  writer.flush();
  writeInline(element, writer);
  writer.flush();
}

function writeInline(element: HtmlElement, writer: FlowWriter): void {
  const wrap = wrapOfStyle(element);
  if (wrap === undefined) writer.writeChildren(element);
  else writer.wrapped(wrap, () => writer.writeChildren(element));
}

const boldStyle = /font-weight\s*:\s*(?:bold|bolder|[6-9]00)\b/i;
const plainWeight = /font-weight\s*:\s*(?:normal|[1-5]00)\b/i;
const italicStyle = /font-style\s*:\s*(?:italic|oblique)\b/i;
const raisedStyle = /vertical-align\s*:\s*(super|sub)\b/i;

// Word processors mark emphasis with styles of spans rather than with elements.
function wrapOfStyle(element: HtmlElement): Wrap | undefined {
  const style = element.name === "span" ? element.attributes.get("style") : undefined;
  if (style === undefined) return undefined;
  if (boldStyle.test(style)) return { type: "strong" };
  if (italicStyle.test(style)) return { type: "emphasis" };
  const raised = raisedStyle.exec(style)?.[1]?.toLowerCase();
  return raised === undefined ? undefined : { type: raised === "super" ? "superscript" : "subscript" };
}

// Some editors write `<b style="font-weight:normal">` around whole pages.
function writeStyled(type: "strong" | "emphasis"): WriteElement {
  return (element, writer) => {
    const isPlain = type === "strong" && plainWeight.test(attribute(element, "style"));
    if (isPlain || isIcon(element)) writer.writeChildren(element);
    else writer.wrapped({ type }, () => writer.writeChildren(element));
  };
}

function isIcon(element: HtmlElement): boolean {
  return element.name === "i" && element.children.length === 0;
}

function writeQuote(element: HtmlElement, writer: FlowWriter): void {
  const inner = writer.child();
  inner.writeChildren(element);
  const quoted = inner.finish();
  if (quoted.length > 0) writer.block({ type: "quote", blocks: quoted });
}

function writeQuotation(element: HtmlElement, writer: FlowWriter): void {
  writer.text("“");
  writer.writeChildren(element);
  writer.text("”");
}

// The reading of a ruby annotation stands in parentheses, as `rp` gives it to browsers without ruby.
function writeRuby(element: HtmlElement, writer: FlowWriter): void {
  const reading = textOf(element).trim();
  if (reading !== "") writer.text(`(${reading})`);
}

function writeButton(element: HtmlElement, writer: FlowWriter): void {
  writer.text(" ");
  writer.writeChildren(element);
  writer.text(" ");
}

function writeNoframes(element: HtmlElement, writer: FlowWriter): void {
  writer.flush();
  writer.writeChildren(element);
  writer.flush();
}

function writeFrame(_element: HtmlElement, writer: FlowWriter): void {
  writer.page.warn("The page is a set of frames; the pages shown in them are not part of the file.");
}

// Of EPUB's alternatives the first that is MathML or HTML, or else what is for all.
function writeSwitch(element: HtmlElement, writer: FlowWriter): void {
  const choices = elementChildren(element);
  const known = choices.find(({ name, attributes }) => {
    const namespace = attributes.get("required-namespace") ?? "";
    return name === "epub:case" && /Math\/MathML$|1999\/xhtml$/.test(namespace);
  });
  const chosen = known ?? choices.find(({ name }) => name === "epub:default");
  if (chosen !== undefined) writer.writeChildren(chosen);
}

function countHidden(element: HtmlElement, writer: FlowWriter): void {
  const text = visibleTextOf(element).trim();
  if (text !== "") writer.page.hiddenWords += text.split(/\s+/).length;
}

// A template is for scripts, but for one that declares what its element shows.
function writeTemplate(element: HtmlElement, writer: FlowWriter): void {
  if (element.attributes.has("shadowrootmode")) writer.writeChildren(element);
}

// Labels of a drawing say little without it, and the ticks of an axis nothing.
function countDrawn(element: HtmlElement, writer: FlowWriter): void {
  for (const child of elementChildren(element)) {
    if (child.name === "text") writer.page.drawnWords += textOf(child).split(/\s+/).filter(Boolean).length;
    else if (child.name !== "defs" && child.name !== "symbol") countDrawn(child, writer);
  }
}

function visibleTextOf(element: HtmlElement): string {
  if (dropped.has(element.name) || element.name === "svg" || element.name === "template") return "";
  if (unseen.has(element.name)) return textOf(element).replace(/<[^>]*>/g, " ");
  const own = element.children.filter((child) => typeof child === "string").join(" ");
  return [own, ...elementChildren(element).map(visibleTextOf)].join(" ");
}
