import type { Inline } from "../../document/document.ts";
import { type InlineMatch, type InlineRule, matchPattern, scanInlines, spanBetween } from "../../text/scan-inlines.ts";
import { referenceName } from "./definitions.ts";
import type { Scope } from "./scope.ts";

type Match = InlineMatch<Inline> | undefined;

// Markup begins after a space or an opening sign and ends before one or the end (docutils "inline markup recognition rules").
const opens = /[\s'"([{<\-/:\p{Ps}\p{Pi}\p{Pd}]/u;
const closes = /[\s'")\]}>\-/:.,;!?\\\p{Pe}\p{Pf}\p{Pd}\p{Po}]/u;
const role = /:([A-Za-z][\w.+:-]{0,60}):(?=`)/y;
const footnoteMark = /\[(#?[\w.-]{0,60}|\*)\]_/y;
const simpleReference = /([A-Za-z0-9](?:[\w.+-]{0,100}[A-Za-z0-9])?)(__?)(?![\w`])/y;
const bareUrl = /(?:https?|ftp):\/\/[^\s<>"'`|)\]]{1,2000}/y;

/** Inlines of running text. */
export function readInlines(text: string, scope: Scope): Inline[] {
  let anonymousCount = 0;
  const nextAnonymous = (): string | undefined => scope.targets.get(`__${anonymousCount++}`);
  const rules: InlineRule<Inline>[] = [
    { starts: "\\", match: escape },
    { starts: "`", match: (source, at) => literal(source, at) },
    { starts: ":", match: roleText },
    { starts: "`", match: (source, at) => reference(source, at, { scope, nextAnonymous }) },
    { starts: "*", match: strongOrEmphasis },
    { starts: "|", match: (source, at) => substitution(source, at, scope) },
    { starts: "[", match: footnote },
    { starts: "hf", match: url },
    {
      starts: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
      match: (source, at) => word(source, at, scope),
    },
  ];
  return scanInlines(text, rules);
}

function escape(text: string, at: number): Match {
  const next = text[at + 1];
  if (next === undefined) return { end: at + 1, nodes: [] };
  return { end: at + 2, nodes: /\s/.test(next) ? [] : [next] };
}

function isOpening(text: string, at: number, length: number): boolean {
  const before = text[at - 1];
  const after = text[at + length];
  return (before === undefined || opens.test(before)) && after !== undefined && !/\s/.test(after);
}

// The span whose end is followed by what may follow markup.
function markedSpan(text: string, at: number, delimiter: string): { inner: string; end: number } | undefined {
  if (!isOpening(text, at, delimiter.length)) return undefined;
  const span = spanBetween(text, at, { open: delimiter, close: delimiter });
  if (span === undefined || span.inner === "" || /\s$/.test(span.inner)) return undefined;
  const after = text[span.end];
  return after === undefined || closes.test(after) || delimiter === "`" ? span : undefined;
}

function literal(text: string, at: number): Match {
  const span = markedSpan(text, at, "``");
  return span && { end: span.end, nodes: [{ type: "code", text: span.inner }] };
}

function strongOrEmphasis(text: string, at: number): Match {
  const strong = text.startsWith("**", at);
  const span = markedSpan(text, at, strong ? "**" : "*");
  if (span === undefined) return undefined;
  return { end: span.end, nodes: [{ type: strong ? "strong" : "emphasis", inlines: [unescape(span.inner)] }] };
}

interface References {
  readonly scope: Scope;
  readonly nextAnonymous: () => string | undefined;
}

function reference(text: string, at: number, references: References): Match {
  const span = markedSpan(text, at, "`");
  if (span === undefined) return undefined;
  const [suffix = "", roleName] = matchPattern(suffixPattern, text, span.end) ?? [];
  const end = span.end + suffix.length;
  if (roleName !== undefined) return { end, nodes: [roleNode(roleName, span.inner)] };
  if (suffix === "") return { end, nodes: [{ type: "emphasis", inlines: [unescape(span.inner)] }] };
  return { end, nodes: [referenceNode(span.inner, suffix === "__", references)] };
}

function referenceNode(content: string, isAnonymous: boolean, { scope, nextAnonymous }: References): Inline {
  const [, label = "", embedded] = /^(.*?)\s*<([^<>]{1,2000})>$/s.exec(content) ?? [];
  if (embedded !== undefined) return linkTo(label || embedded, resolve(embedded, scope));
  const place = isAnonymous ? nextAnonymous() : scope.targets.get(referenceName(content));
  return linkTo(content, resolve(place, scope));
}

const suffixPattern = /__?(?!\w)|:([A-Za-z][\w.+:-]{0,60}):/y;

// A target may be the name of another target.
function resolve(place: string | undefined, { targets }: Scope): string | undefined {
  if (place === undefined || !place.endsWith("_")) return place;
  return targets.get(referenceName(place.slice(0, -1).replaceAll("`", ""))) ?? place;
}

function linkTo(label: string, target: string | undefined): Inline {
  const text = unescape(label);
  return target === undefined ? text : { type: "link", target, inlines: [text] };
}

function roleText(text: string, at: number): Match {
  const name = matchPattern(role, text, at);
  if (name === undefined) return undefined;
  const span = spanBetween(text, at + name[0].length, { open: "`", close: "`" });
  return span && { end: span.end, nodes: [roleNode(name[1] ?? "", span.inner)] };
}

const codeRoles =
  /^(?:code|literal|samp|file|command|program|option|envvar|kbd|makevar|regexp|(?:\w+:)?(?:func|class|meth|attr|mod|data|const|exc|obj|macro|type|member|keyword|token))$/;

const formatRoles: Readonly<Record<string, "subscript" | "superscript" | "strong" | "emphasis">> = {
  sub: "subscript",
  subscript: "subscript",
  sup: "superscript",
  superscript: "superscript",
  strong: "strong",
  guilabel: "strong",
  emphasis: "emphasis",
  dfn: "emphasis",
};

function roleNode(name: string, content: string): Inline {
  if (name === "math") return { type: "formula", notation: "latex", text: content };
  const type = Object.hasOwn(formatRoles, name) ? formatRoles[name] : undefined;
  if (type !== undefined) return { type, inlines: [unescape(content)] };
  const label = /^(.*?)\s*<[^<>]{1,2000}>$/s.exec(content)?.[1] ?? content;
  const text = label.replace(/^[~!]/, "");
  return codeRoles.test(name) ? { type: "code", text } : unescape(text);
}

function substitution(text: string, at: number, scope: Scope): Match {
  const span = markedSpan(text, at, "|");
  const replacement = span && scope.substitutions.get(span.inner);
  if (span === undefined || replacement === undefined) return undefined;
  // A substitution inside a substitution is left as it stands, so that none can grow without end.
  const nodes = readInlines(replacement, { ...scope, substitutions: new Map() });
  return { end: span.end + suffixLength(text, span.end), nodes };
}

function suffixLength(text: string, at: number): number {
  return matchPattern(/__?(?!\w)/y, text, at)?.[0].length ?? 0;
}

function footnote(text: string, at: number): Match {
  const mark = matchPattern(footnoteMark, text, at);
  return mark && { end: at + mark[0].length, nodes: [{ type: "noteReference", id: noteId(mark[1] ?? "") }] };
}

/** The id of a note or citation from its label. */
export function noteId(label: string): string {
  return label.replace(/^#/, "") || "auto";
}

function url(text: string, at: number): Match {
  if (at > 0 && /\w/.test(text[at - 1] as string)) return undefined;
  const found = matchPattern(bareUrl, text, at)?.[0].replace(/[.,;:!?]+$/, "");
  return found === undefined
    ? undefined
    : { end: at + found.length, nodes: [{ type: "link", target: found, inlines: [found] }] };
}

function word(text: string, at: number, { targets }: Scope): Match {
  if (at > 0 && /[\w`]/.test(text[at - 1] as string)) return undefined;
  const found = matchPattern(simpleReference, text, at);
  if (found === undefined) return undefined;
  const target = targets.get(referenceName(found[1] ?? ""));
  return target === undefined ? undefined : { end: at + found[0].length, nodes: [linkTo(found[1] ?? "", target)] };
}

function unescape(text: string): string {
  return text.replace(/\\(\s|.|$)/gs, (_, next: string) => (/\s/.test(next) ? "" : next));
}
