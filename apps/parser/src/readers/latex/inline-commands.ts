import type { Inline } from "../../document/document.ts";
import { latexSymbol } from "../../text/latex-symbols.ts";
import type { Reading } from "./scope.ts";
import type { Range } from "./tex-source.ts";

/** What a command became: inlines, and the position after its arguments. */
export interface ReadCommand {
  readonly inlines: readonly Inline[];
  readonly end: number;
}

// Combining characters that accents put on the letter after them.
const accents: Readonly<Record<string, string>> = {
  "'": "\u0301",
  "`": "\u0300",
  "^": "\u0302",
  '"': "\u0308",
  "~": "\u0303",
  "=": "\u0304",
  ".": "\u0307",
  u: "\u0306",
  v: "\u030c",
  H: "\u030b",
  c: "\u0327",
  k: "\u0328",
  r: "\u030a",
  d: "\u0323",
  b: "\u0331",
  t: "\u0361",
};

const literals: Readonly<Record<string, string>> = {
  "%": "%",
  $: "$",
  "&": "&",
  "#": "#",
  _: "_",
  "{": "{",
  "}": "}",
  " ": " ",
  "\n": " ",
  ",": "\u2009",
  ";": " ",
  ":": " ",
  "!": "",
  "-": "",
  "/": "",
  "@": "",
  LaTeX: "LaTeX",
  LaTeXe: "LaTeX2e",
  TeX: "TeX",
  BibTeX: "BibTeX",
  quad: " ",
  qquad: " ",
  space: " ",
  enspace: " ",
  thinspace: "\u2009",
  nobreakspace: "\u00a0",
  today: "",
};

const wraps: Readonly<Record<string, "strong" | "emphasis" | "superscript" | "subscript">> = {
  textbf: "strong",
  mathbf: "strong",
  textit: "emphasis",
  textsl: "emphasis",
  emph: "emphasis",
  textsuperscript: "superscript",
  textsubscript: "subscript",
};

/** Commands that are about the page or other files, with how many arguments go with them. */
const silent: Readonly<Record<string, number>> = {
  label: 1, index: 1, glossary: 1, vspace: 1, hspace: 1, vskip: 0, hskip: 0, setlength: 2, addtolength: 2, setcounter: 2,
  addtocounter: 2, stepcounter: 1, refstepcounter: 1, pagestyle: 1, thispagestyle: 1, pagenumbering: 1, addcontentsline: 3,
  bibliographystyle: 1, bibliography: 1, addbibresource: 1, usepackage: 1, RequirePackage: 1, documentclass: 1, hypersetup: 1,
  graphicspath: 1, newcommand: 2, renewcommand: 2, providecommand: 2, newenvironment: 3, renewenvironment: 3, newtheorem: 2,
  DeclareMathOperator: 2, definecolor: 3, color: 1, pagecolor: 1, rowcolor: 1, cellcolor: 1, columncolor: 1, arraystretch: 0,
  fontsize: 2, fontfamily: 1, selectfont: 0, linespread: 1, input: 1, include: 1, includeonly: 1, subfile: 1, hyphenation: 1,
  markboth: 2, markright: 1, hyperlink: 1, hypertarget: 1, phantom: 1, hphantom: 1, vphantom: 1, rule: 2, raisebox: 1, rotatebox: 1,
  scalebox: 1, resizebox: 2, selectlanguage: 1, title: 1, author: 1, date: 1, subtitle: 0, thanks: 0, nocite: 1, printbibliography: 0,
  captionsetup: 1, cline: 1, cmidrule: 1, ensuremath: 0, allowbreak: 0, bibliographyunit: 1, lstset: 1, usetikzlibrary: 1,
  tikzset: 1, theoremstyle: 1, numberwithin: 2, geometry: 1, usetheme: 1, usecolortheme: 1, setbeamertemplate: 2, todo: 1,
}; // prettier-ignore

const external = new Set(["input", "include", "subfile", "bibliography", "printbibliography"]);
const references = new Set([
  "ref",
  "eqref",
  "pageref",
  "autoref",
  "nameref",
  "cref",
  "Cref",
  "vref",
  "fref",
  "hyperref",
]);

/** Reads a command that belongs to running text; `at` is after its name. Unknown ones vanish, their arguments stay as text. */
export function readInlineCommand(name: string, at: number, reading: Reading): ReadCommand {
  const literal = literalText(name);
  if (literal !== undefined) return { inlines: [literal], end: afterEmptyGroup(at, reading) };
  const accent = Object.hasOwn(accents, name) ? accents[name] : undefined;
  if (accent !== undefined) return readAccent(accent, at, reading);
  const wrap = Object.hasOwn(wraps, name) ? wraps[name] : undefined;
  if (wrap !== undefined) return readWrap(wrap, at, reading);
  if (citation.test(name) || references.has(name)) return readKeys(at, reading);
  const own = Object.hasOwn(special, name) ? special[name] : undefined;
  if (own !== undefined) return own(at, reading);
  if (Object.hasOwn(silent, name)) return readSilent(name, at, reading);
  return { inlines: [], end: skipOptions(afterStar(at, reading), reading.source) };
}

function afterStar(at: number, { source }: Reading): number {
  return source.text[at] === "*" ? at + 1 : at;
}

/** What a macro without arguments stands for. */
export function literalText(name: string): string | undefined {
  return Object.hasOwn(literals, name) ? literals[name] : latexSymbol(name);
}

const citation = /^(?:[Tt]ext|paren|foot|full|auto|super)?[Cc]ite[a-z]{0,12}$/;

// `\LaTeX{}` keeps the space after it.
function afterEmptyGroup(at: number, { source }: Reading): number {
  return source.text.startsWith("{}", at) ? at + 2 : at;
}

function readAccent(mark: string, at: number, reading: Reading): ReadCommand {
  const argument = reading.source.argumentAt(at);
  if (argument === undefined) return { inlines: [], end: at };
  const inner = plainText(reading.inlines(argument.range));
  const [first = "", ...rest] = Array.from(inner.replace("ı", "i").replace("ȷ", "j"));
  return { inlines: [(first + mark).normalize("NFC") + rest.join("")], end: argument.end };
}

function readWrap(
  type: "strong" | "emphasis" | "superscript" | "subscript",
  at: number,
  reading: Reading,
): ReadCommand {
  const argument = reading.source.argumentAt(at);
  if (argument === undefined) return { inlines: [], end: at };
  return { inlines: [{ type, inlines: reading.inlines(argument.range) }], end: argument.end };
}

// Keys of citations and references stand in brackets, with the page that goes with them.
function readKeys(at: number, reading: Reading): ReadCommand {
  const { source } = reading;
  const first = source.optionAt(afterStar(at, reading));
  const second = source.optionAt(first.end);
  const argument = source.argumentAt(second.end);
  if (argument === undefined) return { inlines: [], end: second.end };
  const keys = source
    .slice(argument.range)
    .split(",")
    .map((key) => key.trim())
    .join(", ");
  const notes = [first.range, second.range].flatMap((range) =>
    range === undefined ? [] : [source.slice(range).replaceAll("~", "\u00a0").trim()],
  );
  return { inlines: [`[${[keys, ...notes.filter(Boolean)].join(", ")}]`], end: argument.end };
}

function readSilent(name: string, at: number, reading: Reading): ReadCommand {
  const { source, scope } = reading;
  if (external.has(name)) scope.context.warn("The text includes another file, which is not read.");
  let end = afterStar(at, reading);
  for (let count = silent[name] ?? 0; count > 0; count--) {
    end = skipOptions(end, source);
    end = source.argumentAt(end)?.end ?? end;
  }
  return { inlines: [], end: skipOptions(end, source) };
}

function skipOptions(at: number, source: Reading["source"]): number {
  let end = at;
  for (let option = source.optionAt(end); option.end > end; option = source.optionAt(end)) end = option.end;
  return end;
}

type ReadSpecial = (at: number, reading: Reading) => ReadCommand;

function withArgument(at: number, reading: Reading, make: (range: Range) => readonly Inline[]): ReadCommand {
  const argument = reading.source.argumentAt(skipOptions(at, reading.source));
  return argument === undefined ? { inlines: [], end: at } : { inlines: make(argument.range), end: argument.end };
}

const special: Readonly<Record<string, ReadSpecial>> = {
  texttt: (at, reading) =>
    withArgument(at, reading, (range) => [{ type: "code", text: plainText(reading.inlines(range)) }]),
  url: (at, reading) => withArgument(at, reading, (range) => [link(reading.source.slice(range))]),
  nolinkurl: (at, reading) => withArgument(at, reading, (range) => [reading.source.slice(range)]),
  href: (at, reading) => {
    const target = reading.source.argumentAt(skipOptions(at, reading.source));
    const label = target && reading.source.argumentAt(target.end);
    if (target === undefined || label === undefined) return { inlines: [], end: target?.end ?? at };
    return { inlines: [link(reading.source.slice(target.range), reading.inlines(label.range))], end: label.end };
  },
  includegraphics: (at, reading) =>
    withArgument(at, reading, (range) => [{ type: "image", alt: "", reference: reading.source.slice(range).trim() }]),
  footnote: (at, reading) =>
    withArgument(at, reading, (range) => {
      const { notes } = reading.scope;
      const id = String(notes.length + 1);
      const place = notes.push({ type: "footnote", id, blocks: [] }) - 1;
      notes[place] = { type: "footnote", id, blocks: reading.blocks(range) };
      return [{ type: "noteReference", id }];
    }),
  textcolor: (at, reading) => secondArgument(at, reading),
  colorbox: (at, reading) => secondArgument(at, reading),
  parbox: (at, reading) => secondArgument(at, reading),
  foreignlanguage: (at, reading) => secondArgument(at, reading),
  verbatimpiece: (at, reading) =>
    withArgument(at, reading, (range) => {
      const piece = reading.source.pieces[Number(reading.source.slice(range))];
      return piece === undefined ? [] : [{ type: "code", text: piece.text }];
    }),
};

function secondArgument(at: number, reading: Reading): ReadCommand {
  const first = reading.source.argumentAt(skipOptions(at, reading.source));
  if (first === undefined) return { inlines: [], end: at };
  return withArgument(first.end, reading, (range) => reading.inlines(range));
}

function link(address: string, inlines?: readonly Inline[]): Inline {
  const target = address.trim().replace(/\\([%#_&~{}])/g, "$1");
  return { type: "link", target, inlines: inlines ?? [target] };
}

/** The letters of inlines, without their format. */
export function plainText(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) => {
      if (typeof inline === "string") return inline;
      if ("inlines" in inline) return plainText(inline.inlines);
      return "text" in inline ? inline.text : inline.type === "lineBreak" ? " " : "";
    })
    .join("");
}
