import type { Inline } from "../../document/document.ts";
import { latexSymbol } from "../../text/latex-symbols.ts";
import { type InlineMatch, type InlineRule, matchPattern, scanInlines, spanBetween } from "../../text/scan-inlines.ts";
import type { Scope } from "./scope.ts";

type Match = InlineMatch<Inline> | undefined;

const maxNesting = 6;
const linkPattern = /\[\[([^\]\n[]{1,2000})\](?:\[((?:[^\]]|\](?!\])){1,2000})\])?\]/y;
const notePattern = /\[fn:([\w-]{0,60})(?::((?:[^[\]]|\[[^[\]]{0,500}\]){0,2000}))?\]/y;
const urlPattern = /(?:https?|ftp):\/\/[^\s<>"'\]|]{1,2000}/y;
const script = /([_^])(?:\{([^{}]{0,500})\}|(\*|[+-]?[A-Za-z0-9.,\\]{0,60}[A-Za-z0-9]))/y;
const entity = /\\([A-Za-z]{1,30})(?:\{\}|(?![A-Za-z]))/y;
const image = /\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?)$/i;
// What may stand before and after emphasis ("org-emphasis-regexp-components").
const before = /[\s\-–—({'"]/;
const after = /[\s\-–—.,;:!?'")}\\[]/;

/** Inlines of running text. */
export function readInlines(text: string, scope: Scope, nesting = 0): Inline[] {
  if (nesting > maxNesting) return [text];
  const inner = (content: string): Inline[] => readInlines(content, scope, nesting + 1);
  const rules: InlineRule<Inline>[] = [
    { starts: "[", match: (source, at) => link(source, at, inner) },
    { starts: "[", match: (source, at) => note(source, at, { scope, inner }) },
    { starts: "=~", match: verbatim },
    { starts: "*/+_", match: (source, at) => emphasis(source, at, inner) },
    { starts: "_^", match: scripts },
    { starts: "\\", match: backslash },
    { starts: "$", match: dollars },
    { starts: "hf", match: url },
    { starts: "@", match: snippet },
    { starts: "<", match: target },
  ];
  return scanInlines(text, rules);
}

function link(text: string, at: number, inner: (content: string) => Inline[]): Match {
  const match = matchPattern(linkPattern, text, at);
  if (match === undefined) return undefined;
  const [whole, rawTarget = "", label] = match;
  const end = at + whole.length;
  const address = rawTarget.replace(/^file:/, "");
  if (label === undefined && image.test(address))
    return { end, nodes: [{ type: "image", alt: "", reference: address }] };
  const isInside = !/^(?:[a-z][\w+.-]*:|\/|\.\.?\/)/i.test(address) && !address.includes(".");
  const inlines = label === undefined ? [address.replace(/^[#*]/, "")] : inner(label);
  return { end, nodes: isInside ? inlines : [{ type: "link", target: address, inlines }] };
}

interface Within {
  readonly scope: Scope;
  readonly inner: (content: string) => Inline[];
}

function note(text: string, at: number, { scope, inner }: Within): Match {
  const match = matchPattern(notePattern, text, at);
  if (match === undefined || (match[1] === "" && match[2] === undefined)) return undefined;
  const id = match[1] || `n${scope.notes.length + 1}`;
  if (match[2] !== undefined) {
    scope.notes.push({ type: "footnote", id, blocks: [{ type: "paragraph", inlines: inner(match[2].trim()) }] });
  }
  return { end: at + match[0].length, nodes: [{ type: "noteReference", id }] };
}

function marked(text: string, at: number): { inner: string; end: number } | undefined {
  const sign = text[at] as string;
  if (at > 0 && !before.test(text[at - 1] as string)) return undefined;
  const span = spanBetween(text, at, { open: sign, close: sign });
  if (span === undefined || span.inner === "" || /^\s|\s$/.test(span.inner)) return undefined;
  const next = text[span.end];
  return next === undefined || after.test(next) ? span : undefined;
}

function verbatim(text: string, at: number): Match {
  const span = marked(text, at);
  return span && { end: span.end, nodes: [{ type: "code", text: span.inner }] };
}

function emphasis(text: string, at: number, inner: (content: string) => Inline[]): Match {
  const span = marked(text, at);
  if (span === undefined) return undefined;
  const inlines = inner(span.inner);
  const sign = text[at];
  if (sign === "*") return { end: span.end, nodes: [{ type: "strong", inlines }] };
  return { end: span.end, nodes: sign === "/" ? [{ type: "emphasis", inlines }] : inlines };
}

// Without braces, `snake_case` would be read as a subscript; only braces are believed.
function scripts(text: string, at: number): Match {
  if (at === 0 || /\s/.test(text[at - 1] as string)) return undefined;
  const match = matchPattern(script, text, at);
  if (match?.[2] === undefined) return undefined;
  const type = match[1] === "^" ? "superscript" : "subscript";
  return { end: at + match[0].length, nodes: [{ type, inlines: [match[2]] }] };
}

function backslash(text: string, at: number): Match {
  const inline =
    spanBetween(text, at, { open: "\\(", close: "\\)" }) ?? spanBetween(text, at, { open: "\\[", close: "\\]" });
  if (inline !== undefined)
    return { end: inline.end, nodes: [{ type: "formula", notation: "latex", text: inline.inner.trim() }] };
  if (text.startsWith("\\\\\u2028", at)) return { end: at + 3, nodes: [{ type: "lineBreak" }] };
  const match = matchPattern(entity, text, at);
  const symbol = latexSymbol(match?.[1] ?? "");
  return match === undefined || symbol === undefined ? undefined : { end: at + match[0].length, nodes: [symbol] };
}

function dollars(text: string, at: number): Match {
  const double = spanBetween(text, at, { open: "$$", close: "$$" });
  if (double !== undefined)
    return { end: double.end, nodes: [{ type: "formula", notation: "latex", text: double.inner.trim() }] };
  const span = spanBetween(text, at, { open: "$", close: "$" });
  const isFormula =
    span !== undefined && span.inner !== "" && !/^[\s.,;]|[\s.,]$/.test(span.inner) && !/\w/.test(text[span.end] ?? "");
  return isFormula ? { end: span.end, nodes: [{ type: "formula", notation: "latex", text: span.inner }] } : undefined;
}

function url(text: string, at: number): Match {
  if (at > 0 && /\w/.test(text[at - 1] as string)) return undefined;
  const found = matchPattern(urlPattern, text, at)?.[0].replace(/[.,;:!?)]+$/, "");
  return found === undefined
    ? undefined
    : { end: at + found.length, nodes: [{ type: "link", target: found, inlines: [found] }] };
}

// `@@html:<br>@@` is for one output only.
function snippet(text: string, at: number): Match {
  const span = spanBetween(text, at, { open: "@@", close: "@@" });
  return span && /^[\w-]{1,40}:/.test(span.inner) ? { end: span.end, nodes: [] } : undefined;
}

// `<<name>>` marks a place, `<<<name>>>` is also text; `<https://…>` is a link.
function target(text: string, at: number): Match {
  const radio = spanBetween(text, at, { open: "<<<", close: ">>>" });
  if (radio !== undefined) return { end: radio.end, nodes: [radio.inner] };
  const place = spanBetween(text, at, { open: "<<", close: ">>" });
  return place && !/[\n<>]/.test(place.inner) ? { end: place.end, nodes: [] } : undefined;
}
