import type { OpcElement } from "../../containers/opc-element.ts";
import { runFormat, type TextSpan, toInlines } from "../../containers/opc-inlines.ts";
import type { OpcRelationships } from "../../containers/opc-package.ts";
import { decodeSymbolText } from "../../containers/opc-symbols.ts";
import { ommlToLatex } from "../../math/omml-to-latex.ts";
import type { ReadOptions } from "../reader.ts";
import { maxLevel, type TextLine } from "../slide-lines.ts";
import type { TextStyles } from "./text-styles.ts";

export interface TextOptions {
  readonly relationships: OpcRelationships;
  readonly styles: TextStyles;
  readonly reading: TextReading;
}

/** What reading text needs to know of its presentation, and tells it. */
export interface TextReading {
  readonly context: { readonly options: Pick<ReadOptions, "conversionFields"> };
  /** Fields with the date or time of the conversion that were left out. */
  conversionFieldCount: number;
}

/** The paragraphs of a text body (`a:p`) that say something. */
export function readLines(textBody: OpcElement | undefined, { styles, ...owner }: TextOptions): TextLine[] {
  return (textBody?.elements("a:p") ?? []).flatMap((paragraph) => {
    const inlines = toInlines(readSpans(paragraph, owner));
    if (inlines.length === 0) return [];
    const properties = paragraph.child("a:pPr");
    const level = Math.max(0, Math.min(maxLevel, Number.parseInt(properties?.get("lvl") ?? "0", 10) || 0));
    return [{ inlines, level, bullet: styles.bulletOf(properties, level) }];
  });
}

type TextOwner = Omit<TextOptions, "styles">;

function readSpans(paragraph: OpcElement, owner: TextOwner): TextSpan[] {
  const spans: TextSpan[] = [];
  for (const element of paragraph.elements()) readSpan(element, { ...owner, spans });
  return spans;
}

interface SpanTarget extends TextOwner {
  readonly spans: TextSpan[];
}

function readSpan(element: OpcElement, target: SpanTarget): void {
  const read = spanReaders[element.name];
  if (read !== undefined) read(element, target);
  // Wrappers that are not known may hold runs; properties hold none.
  else if (element.name !== "a:pPr" && element.name !== "a:endParaRPr") readAll(element, target);
}

type ReadSpan = (element: OpcElement, target: SpanTarget) => void;

const spanReaders: Readonly<Record<string, ReadSpan>> = {
  __proto__: null as never,
  "a:r": pushRun,
  "a:fld": pushField,
  "a:br": (_, { spans }) => void spans.push({ content: { type: "lineBreak" }, format: 0 }),
  "a14:m": readAll,
  "m:oMathPara": readAll,
  "m:oMath": pushFormula,
  "mc:AlternateContent": (element, target) =>
    readAll(element.child("mc:Choice") ?? element.child("mc:Fallback") ?? element, target),
};

function readAll(container: OpcElement, target: SpanTarget): void {
  for (const child of container.elements()) readSpan(child, target);
}

function pushFormula(formula: OpcElement, { spans }: SpanTarget): void {
  const text = ommlToLatex(formula);
  if (text !== "") spans.push({ content: { type: "formula", notation: "latex", text }, format: 0 });
}

// ECMA-376 part 1 §21.1.2.2.4: `datetime`, `datetime1` … `datetime13`, `datetimeFigureOut`.
function pushField(field: OpcElement, target: SpanTarget): void {
  const isOfConversion = /^datetime/i.test(field.get("type") ?? "");
  if (isOfConversion && target.reading.context.options.conversionFields === "drop")
    target.reading.conversionFieldCount++;
  else pushRun(field, target);
}

function pushRun(run: OpcElement, { relationships, spans }: SpanTarget): void {
  const properties = run.child("a:rPr");
  const content = decodeSymbolText(run.child("a:t")?.text ?? "", fontOf(properties)).replaceAll(/[\t\v]/g, " ");
  if (content === "") return;
  const link = relationships.byId(properties?.child("a:hlinkClick")?.get("r:id"));
  const target = link?.isExternal === true && isAddress(link.target) ? link.target : undefined;
  spans.push({ content, format: formatOf(properties), ...(target !== undefined && { link: target }) });
}

/** Addresses that are longer would repeat with every link to them. */
const maxAddress = 4_096;

function isAddress(target: string): boolean {
  return target !== "" && target.length <= maxAddress;
}

function fontOf(properties: OpcElement | undefined): string | undefined {
  return (properties?.child("a:sym") ?? properties?.child("a:latin"))?.get("typeface");
}

function formatOf(properties: OpcElement | undefined): number {
  const baseline = Number.parseInt(properties?.get("baseline") ?? "0", 10);
  let format = 0;
  if (isOn(properties?.get("b"))) format |= runFormat.bold;
  if (isOn(properties?.get("i"))) format |= runFormat.italic;
  if (baseline > 0) format |= runFormat.superscript;
  if (baseline < 0) format |= runFormat.subscript;
  return format;
}

function isOn(value: string | undefined): boolean {
  return value === "1" || value === "true";
}
