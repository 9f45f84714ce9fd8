import type { OpcElement } from "../../containers/opc-element.ts";
import { runFormat, type TextSpan, toInlines } from "../../containers/opc-inlines.ts";
import type { OpcRelationships } from "../../containers/opc-package.ts";
import { decodeSymbolText } from "../../containers/opc-symbols.ts";
import type { Block, Inline, ListItem } from "../../document/document.ts";
import { ommlToLatex } from "../../math/omml-to-latex.ts";
import type { Bullet, TextStyles } from "./text-styles.ts";

export interface TextLine {
  readonly inlines: readonly Inline[];
  /** From 0. */
  readonly level: number;
  readonly bullet: Bullet;
}

export interface TextOptions {
  readonly relationships: OpcRelationships;
  readonly styles: TextStyles;
}

const maxLevel = 8;

/** The paragraphs of a text body (`a:p`) that say something. */
export function readLines(textBody: OpcElement | undefined, { relationships, styles }: TextOptions): TextLine[] {
  return (textBody?.elements("a:p") ?? []).flatMap((paragraph) => {
    const inlines = toInlines(readSpans(paragraph, relationships));
    if (inlines.length === 0) return [];
    const properties = paragraph.child("a:pPr");
    const level = Math.max(0, Math.min(maxLevel, Number.parseInt(properties?.get("lvl") ?? "0", 10) || 0));
    return [{ inlines, level, bullet: styles.bulletOf(properties, level) }];
  });
}

/** Lines as blocks: bulleted and numbered ones nested into lists by level, the others paragraphs. */
export function toBlocks(lines: readonly TextLine[]): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (line === undefined) break;
    if (line.bullet.kind === "none") {
      blocks.push(lineBlock(line));
      at++;
    } else {
      const end = endOfList(lines, at);
      blocks.push(...nestLists(lines.slice(at, end), line.level));
      at = end;
    }
  }
  return blocks;
}

function lineBlock({ inlines }: TextLine): Block {
  const [only] = inlines;
  const isFormula = inlines.length === 1 && typeof only !== "string" && only?.type === "formula";
  return isFormula ? only : { type: "paragraph", inlines };
}

function endOfList(lines: readonly TextLine[], from: number): number {
  let end = from + 1;
  while (end < lines.length && lines[end]?.bullet.kind !== "none") end++;
  return end;
}

// Lists of one level after one another, deeper lines inside the item before them.
function nestLists(lines: readonly TextLine[], level: number): Block[] {
  const lists: { ordered: boolean; start: number; items: ListItem[] }[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (line === undefined) break;
    const end = endOfItem(lines, at, level);
    const inner = lines.slice(at + 1, end);
    const innerLevel = inner.reduce((least, other) => Math.min(least, other.level), maxLevel);
    const nested = inner.length === 0 ? [] : nestLists(inner, innerLevel);
    const ordered = line.bullet.kind === "ordered";
    let list = lists.at(-1);
    if (list?.ordered !== ordered) {
      list = { ordered, start: line.bullet.start, items: [] };
      lists.push(list);
    }
    list.items.push({ blocks: [lineBlock(line), ...nested] });
    at = end;
  }
  return lists.map(({ ordered, start, items }) => ({
    type: "list",
    ordered,
    ...(ordered && start !== 1 && { start }),
    items,
  }));
}

function endOfItem(lines: readonly TextLine[], from: number, level: number): number {
  let end = from + 1;
  while (end < lines.length && (lines[end]?.level ?? 0) > level) end++;
  return end;
}

function readSpans(paragraph: OpcElement, relationships: OpcRelationships): TextSpan[] {
  const spans: TextSpan[] = [];
  for (const element of paragraph.elements()) readSpan(element, { relationships, spans });
  return spans;
}

interface SpanTarget {
  readonly relationships: OpcRelationships;
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
  "a:fld": pushRun,
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
