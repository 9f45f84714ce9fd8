import type { Inline } from "../../document/document.ts";
import { type InlineMatch, type InlineRule, matchPattern, scanInlines, spanBetween } from "../../text/scan-inlines.ts";
import type { Scope } from "./scope.ts";

type Match = InlineMatch<Inline> | undefined;

const maxNesting = 6;
const urlPattern = /(?:https?|ftp|irc):\/\/[^\s[\]<>"']{1,2000}(?:\[([^\]\n]{0,1000})\])?/y;
const macroPattern =
  /(link|mailto|xref|image|icon|kbd|btn|menu|footnote|footnoteref|stem|latexmath|asciimath|pass|anchor|indexterm2?):(?!:)([^\s[\]]{0,1000})\[((?:[^\]\\]|\\.){0,2000})\]/y;
const reference = /<<([^<>,\n]{1,300})(?:,\s?([^<>\n]{1,500}))?>>/y;
const attribute = /\{([A-Za-z0-9_][\w-]{0,80})\}/y;
const replacements: readonly (readonly [RegExp, string])[] = [
  [/\(C\)/y, "©"],
  [/\(R\)/y, "®"],
  [/\(TM\)/y, "™"],
  [/\.\.\./y, "…"],
  [/->/y, "→"],
  [/=>/y, "⇒"],
  [/<-/y, "←"],
  [/<=/y, "⇐"],
];

/** Inlines of running text, with attributes replaced. */
export function readInlines(text: string, scope: Scope, nesting = 0): Inline[] {
  if (nesting > maxNesting) return [text];
  const inner = (content: string): Inline[] => readInlines(content, scope, nesting + 1);
  const rules: InlineRule<Inline>[] = [
    { starts: "\\", match: escape },
    { starts: "+`", match: (source, at) => literal(source, at) },
    { starts: "\"'", match: (source, at) => curlyQuote(source, at, inner) },
    { starts: "*_#^~", match: (source, at) => formatted(source, at, inner) },
    { starts: "hfi", match: (source, at) => url(source, at, inner) },
    { starts: "lmxikbfsap", match: (source, at) => macroAt(source, at, { scope, inner }) },
    { starts: "<", match: (source, at) => crossReference(source, at, inner) },
    { starts: "{", match: (source, at) => attributeText(source, at, scope) },
    { starts: "(.-=<", match: replacement },
    { starts: " ", match: hardBreak },
  ];
  return scanInlines(
    text,
    rules.filter((rule) => nesting < maxNesting || rule.starts !== "{"),
  );
}

// A backslash shields markup; before anything else it is itself.
function escape(text: string, at: number): Match {
  const next = text[at + 1] ?? "";
  return /[*_`#^~{<:[\\+("]/.test(next) ? { end: at + 2, nodes: [next] } : undefined;
}

function isWordAt(text: string, at: number): boolean {
  return /[\p{L}\p{N}_]/u.test(text[at] ?? "");
}

// A single mark stands at the edges of a word, a double one anywhere.
function delimited(text: string, at: number, sign: string): { inner: string; end: number } | undefined {
  const double = sign + sign;
  if (text.startsWith(double, at)) {
    const span = spanBetween(text, at, { open: double, close: double });
    if (span !== undefined && span.inner.trim() !== "") return span;
  }
  if (isWordAt(text, at - 1) || /[\s]|^$/.test(text[at + 1] ?? "")) return undefined;
  const span = spanBetween(text, at, { open: sign, close: sign });
  const isSpan = span !== undefined && span.inner !== "" && !/\s$/.test(span.inner) && !isWordAt(text, span.end);
  return isSpan ? span : undefined;
}

function literal(text: string, at: number): Match {
  const sign = text[at] as string;
  if (text.startsWith("+++", at)) {
    const raw = spanBetween(text, at, { open: "+++", close: "+++" });
    if (raw !== undefined) return { end: raw.end, nodes: [raw.inner] };
  }
  const span = delimited(text, at, sign);
  if (span === undefined) return undefined;
  const content = span.inner.replace(/^\+(.*)\+$/s, "$1");
  return { end: span.end, nodes: [sign === "`" ? { type: "code", text: content } : content] };
}

// "`quoted`" and '`quoted`' are typographic quotation marks.
function curlyQuote(text: string, at: number, inner: (content: string) => Inline[]): Match {
  const sign = text[at] as string;
  const span = spanBetween(text, at, { open: `${sign}\``, close: `\`${sign}` });
  if (span === undefined) return undefined;
  const [left, right] = sign === '"' ? ["“", "”"] : ["‘", "’"];
  return { end: span.end, nodes: [left, ...inner(span.inner), right] };
}

const formats: Readonly<Record<string, "strong" | "emphasis" | "superscript" | "subscript" | undefined>> = {
  "*": "strong",
  _: "emphasis",
  "^": "superscript",
  "~": "subscript",
};

function formatted(text: string, at: number, inner: (content: string) => Inline[]): Match {
  const sign = text[at] as string;
  const isScript = sign === "^" || sign === "~";
  const span = isScript ? spanBetween(text, at, { open: sign, close: sign }) : delimited(text, at, sign);
  if (span === undefined || span.inner === "" || (isScript && /\s/.test(span.inner))) return undefined;
  const type = formats[sign];
  const inlines = inner(span.inner);
  return { end: span.end, nodes: type === undefined ? inlines : [{ type, inlines }] };
}

function url(text: string, at: number, inner: (content: string) => Inline[]): Match {
  if (isWordAt(text, at - 1)) return undefined;
  const match = matchPattern(urlPattern, text, at);
  if (match === undefined) return undefined;
  const label = linkLabel(match[1] ?? "");
  const isBare = match[1] === undefined;
  const target = isBare ? match[0].replace(/[.,;:!?)]+$/, "") : match[0].slice(0, match[0].indexOf("["));
  const end = isBare ? at + target.length : at + match[0].length;
  return { end, nodes: [{ type: "link", target, inlines: label === "" ? [target] : inner(label) }] };
}

// `text,window=_blank` and a closing caret say how to open the link.
function linkLabel(label: string): string {
  return label
    .replace(/,\s*(?:window|role|opts|id|title)=.*$/s, "")
    .replace(/\^$/, "")
    .replace(/^"(.*)"$/s, "$1")
    .trim();
}

interface Within {
  readonly scope: Scope;
  readonly inner: (content: string) => Inline[];
}

function macroAt(text: string, at: number, { scope, inner }: Within): Match {
  if (isWordAt(text, at - 1)) return undefined;
  const match = matchPattern(macroPattern, text, at);
  if (match === undefined) return undefined;
  const [whole, name = "", target = "", raw = ""] = match;
  const content = raw.replace(/\\\]/g, "]");
  const known = macros[name];
  const nodes = known === undefined ? [content] : known({ target, content, scope, inner });
  return { end: at + whole.length, nodes };
}

interface Macro extends Within {
  readonly target: string;
  readonly content: string;
}

type ReadMacro = (macro: Macro) => readonly Inline[];

const link: ReadMacro = ({ target, content, inner }) => {
  const label = linkLabel(content);
  return [{ type: "link", target, inlines: label === "" ? [target] : inner(label) }];
};
const formula: ReadMacro = ({ content }) => [{ type: "formula", notation: "latex", text: content }];
const nothing: ReadMacro = () => [];

const macros: Readonly<Record<string, ReadMacro>> = {
  link,
  mailto: (macro) => link({ ...macro, target: `mailto:${macro.target}`, content: macro.content || macro.target }),
  xref: ({ target, content, inner }) =>
    content === "" ? [target.replace(/^#|\.adoc(?=#|$)/g, "")] : inner(linkLabel(content)),
  image: ({ target, content }) => [{ type: "image", alt: imageAlt(content), reference: target }],
  icon: nothing,
  anchor: nothing,
  indexterm: nothing,
  indexterm2: ({ content, inner }) => inner(content),
  kbd: ({ content }) => [{ type: "code", text: content }],
  btn: ({ content }) => [{ type: "strong", inlines: [content] }],
  menu: ({ target, content }) => [
    {
      type: "strong",
      inlines: [
        [target, ...content.split(">")]
          .map((word) => word.trim())
          .filter(Boolean)
          .join(" › "),
      ],
    },
  ],
  footnote: (macro) => footnote(macro),
  footnoteref: (macro) =>
    footnote({
      ...macro,
      target: macro.content.split(",")[0] ?? "",
      content: macro.content.split(",").slice(1).join(","),
    }),
  stem: formula,
  latexmath: formula,
  asciimath: ({ content }) => [{ type: "formula", notation: "text", text: content }],
  pass: ({ content }) => [content],
};

function footnote({ target, content, scope, inner }: Macro): readonly Inline[] {
  const id = target === "" ? `n${scope.notes.length + 1}` : target;
  if (content !== "")
    scope.notes.push({ type: "footnote", id, blocks: [{ type: "paragraph", inlines: inner(content) }] });
  return [{ type: "noteReference", id }];
}

/** Alternative text: the first position of an image's attributes, or `alt=`. */
export function imageAlt(content: string): string {
  const named = /(?:^|,)\s*alt="?([^",]{0,1000})/.exec(content)?.[1];
  const first = content.startsWith('"') ? /^"([^"]*)"/.exec(content)?.[1] : content.split(",")[0];
  return named ?? (first?.includes("=") === true ? "" : (first ?? "").trim());
}

function crossReference(text: string, at: number, inner: (content: string) => Inline[]): Match {
  const match = matchPattern(reference, text, at);
  return match && { end: at + match[0].length, nodes: inner(match[2] ?? match[1] ?? "") };
}

const characters: Readonly<Record<string, string>> = {
  empty: "",
  sp: " ",
  nbsp: "\u00a0",
  zwsp: "\u200b",
  apos: "'",
  quot: '"',
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  deg: "°",
  plus: "+",
  brvbar: "¦",
  vbar: "|",
  amp: "&",
  lt: "<",
  gt: ">",
  startsb: "[",
  endsb: "]",
  caret: "^",
  asterisk: "*",
  tilde: "~",
  backslash: "\\",
  backtick: "`",
  "two-colons": "::",
  "two-semicolons": ";;",
  cpp: "C++",
};

// The value is read as text again, but no attributes inside it, so that none can grow without end.
function attributeText(text: string, at: number, scope: Scope): Match {
  const match = matchPattern(attribute, text, at);
  const name = match?.[1]?.toLowerCase() ?? "";
  const fixed = Object.hasOwn(characters, name) ? characters[name] : undefined;
  const value = fixed ?? scope.attributes.get(name);
  if (match === undefined || value === undefined) return undefined;
  const end = at + match[0].length;
  return { end, nodes: fixed === undefined ? readInlines(value, scope, maxNesting) : [fixed] };
}

function replacement(text: string, at: number): Match {
  const found = replacements.find(([pattern]) => matchPattern(pattern, text, at) !== undefined);
  if (found === undefined) return undefined;
  return { end: at + (matchPattern(found[0], text, at)?.[0].length ?? 1), nodes: [found[1]] };
}

// ` +` at the end of a line, which the joined text marks by a line separator.
function hardBreak(text: string, at: number): Match {
  return text.startsWith(" +\u2028", at) ? { end: at + 3, nodes: [{ type: "lineBreak" }] } : undefined;
}
