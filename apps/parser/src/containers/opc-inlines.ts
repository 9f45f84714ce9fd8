import type { Inline } from "../document/document.ts";

/** Formats of a run of text, as bits so that runs compare cheaply. */
export const runFormat = { bold: 1, italic: 2, superscript: 4, subscript: 8, code: 16 } as const;

/** A run of text, or an inline that has no text of its own, with the formats it carries. */
export interface TextSpan {
  readonly content: string | Exclude<Inline, string>;
  /** Sum of `runFormat`. */
  readonly format: number;
  readonly link?: string;
}

/** Spans of a paragraph as nested inlines; formats take in no white space at their ends, and neither does the paragraph. */
export function toInlines(spans: readonly TextSpan[]): Inline[] {
  const [only] = spans;
  if (spans.length === 1 && only?.format === 0 && only.link === undefined && typeof only.content === "string") {
    const text = only.content.trim();
    return text === "" ? [] : [text];
  }
  const trimmed = trimEnds(spans);
  const isPlain = trimmed.every(({ format, link }) => format === 0 && link === undefined);
  return isPlain ? joinTexts(trimmed) : nest(looseSpaces(trimmed), 0);
}

function trimEnds(spans: readonly TextSpan[]): readonly TextSpan[] {
  let first = 0;
  let last = spans.length - 1;
  while (first <= last && isBlank(spans[first])) first++;
  while (last >= first && isBlank(spans[last])) last--;
  const trimmed = spans.slice(first, last + 1);
  trimAt(trimmed, 0, (text) => text.trimStart());
  trimAt(trimmed, trimmed.length - 1, (text) => text.trimEnd());
  return trimmed;
}

function trimAt(spans: TextSpan[], index: number, trim: (text: string) => string): void {
  const span = spans[index];
  if (typeof span?.content === "string") spans[index] = { ...span, content: trim(span.content) };
}

function isBlank(span: TextSpan | undefined): boolean {
  if (span === undefined) return true;
  return typeof span.content === "string" ? span.content.trim() === "" : span.content.type === "lineBreak";
}

function joinTexts(spans: readonly TextSpan[]): Inline[] {
  const inlines: Inline[] = [];
  let text = "";
  for (const { content } of spans) {
    if (typeof content === "string") text += content;
    else {
      if (text !== "") inlines.push(text);
      inlines.push(content);
      text = "";
    }
  }
  if (text !== "") inlines.push(text);
  return inlines;
}

// White space at the ends of a formatted run keeps only the formats that its neighbour has too.
function looseSpaces(spans: readonly TextSpan[]): TextSpan[] {
  return spans.flatMap((span, index) =>
    span.format === 0 ? [span] : loosenSpan(span, spans[index - 1]?.format ?? 0, spans[index + 1]?.format ?? 0),
  );
}

function loosenSpan(span: TextSpan, formatBefore: number, formatAfter: number): TextSpan[] {
  if (typeof span.content !== "string") return [span];
  const body = span.content.trim();
  if (body === "") return [{ ...span, format: span.format & formatBefore & formatAfter }];
  const before = span.content.slice(0, span.content.length - span.content.trimStart().length);
  const after = span.content.slice(span.content.trimEnd().length);
  return [
    { ...span, content: before, format: span.format & formatBefore },
    { ...span, content: body },
    { ...span, content: after, format: span.format & formatAfter },
  ].filter(({ content }) => content !== "");
}

const formatOrder = [
  [runFormat.superscript, "superscript"],
  [runFormat.subscript, "subscript"],
  [runFormat.bold, "strong"],
  [runFormat.italic, "emphasis"],
] as const;

// Level 0 groups by link, the next ones by each format in turn, the last by code.
function nest(spans: readonly TextSpan[], level: number): Inline[] {
  if (level > formatOrder.length) return groupBy(spans, isCode).flatMap(toCode);
  if (level === 0) {
    if (spans.every(({ link }) => link === undefined)) return nest(spans, 1);
    return groupBy(spans, ({ link }) => link).flatMap((group) => {
      const inlines = nest(group, 1);
      const target = group[0]?.link;
      return target === undefined ? inlines : [{ type: "link", target, inlines }];
    });
  }
  const [bit, type] = formatOrder[level - 1] ?? [0, "strong" as const];
  if (!spans.some(({ format }) => (format & bit) !== 0)) return nest(spans, level + 1);
  return groupBy(spans, ({ format }) => format & bit).flatMap((group) => {
    const inlines = nest(group, level + 1);
    return ((group[0]?.format ?? 0) & bit) === 0 ? inlines : [{ type, inlines }];
  });
}

function isCode({ content, format }: TextSpan): boolean {
  return (format & runFormat.code) !== 0 && typeof content === "string";
}

function toCode(group: readonly TextSpan[]): Inline[] {
  const first = group[0];
  if (first === undefined || !isCode(first)) return joinTexts(group);
  return [{ type: "code", text: textOfInlines(joinTexts(group)) }];
}

function groupBy(spans: readonly TextSpan[], keyOf: (span: TextSpan) => unknown): TextSpan[][] {
  const groups: TextSpan[][] = [];
  let lastKey: unknown;
  for (const span of spans) {
    const key = keyOf(span);
    const last = groups.at(-1);
    if (last !== undefined && key === lastKey) last.push(span);
    else groups.push([span]);
    lastKey = key;
  }
  return groups;
}

/** The words of inlines, without formats. */
export function textOfInlines(inlines: readonly Inline[]): string {
  return inlines.map(textOfInline).join("");
}

function textOfInline(inline: Inline): string {
  if (typeof inline === "string") return inline;
  if ("inlines" in inline) return textOfInlines(inline.inlines);
  if (inline.type === "lineBreak") return "\n";
  return inline.type === "code" || inline.type === "formula" ? inline.text : "";
}
