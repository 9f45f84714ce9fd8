import { latexAccents, latexFunctions, toLatexSymbol } from "./omml-symbols.ts";
import { joinLatex, toLatexMath, toLatexText } from "./omml-text.ts";

/** What a formula is made of: an element tree with the prefixes `m` for Office math and `w` or `a` for text around it. */
export interface OmmlElement {
  readonly name: string;
  readonly children: readonly (OmmlElement | string)[];
  get(attribute: string): string | undefined;
}

/** Formulas nest; deeper ones than this are given as their plain text. */
const maxDepth = 100;

/**
 * An `m:oMath` (or any part of one) of Office Math Markup Language as LaTeX, ECMA-376 part 1 §22.1. Unknown constructs give
 * their content, so that nothing is lost.
 */
export function ommlToLatex(math: OmmlElement): string {
  return tidy(convertChildren(math, 0));
}

type Convert = (element: OmmlElement, depth: number) => string;

function convertChildren(element: OmmlElement | undefined, depth: number): string {
  if (element === undefined) return "";
  const pieces: string[] = [];
  for (const child of element.children) if (typeof child !== "string") pieces.push(convert(child, depth + 1));
  return joinLatex(pieces);
}

function convert(element: OmmlElement, depth: number): string {
  if (depth > maxDepth) return plainText(element);
  const convertKnown = converters[element.name];
  return convertKnown === undefined ? convertOther(element, depth) : convertKnown(element, depth);
}

// Properties hold no content; containers such as insertions, boxes and structured tags do.
function convertOther(element: OmmlElement, depth: number): string {
  return /Pr$|^w:(del|moveFrom)$/.test(element.name) ? "" : convertChildren(element, depth);
}

const converters: Readonly<Record<string, Convert>> = {
  __proto__: null as never,
  "m:r": (element) => convertRun(element),
  "w:r": (element) => convertRun(element),
  "m:f": convertFraction,
  "m:sSup": (element, depth) => `${scriptedPart(element, depth)}^{${part(element, "m:sup", depth)}}`,
  "m:sSub": (element, depth) => `${scriptedPart(element, depth)}_{${part(element, "m:sub", depth)}}`,
  "m:sSubSup": (element, depth) =>
    `${scriptedPart(element, depth)}_{${part(element, "m:sub", depth)}}^{${part(element, "m:sup", depth)}}`,
  "m:sPre": (element, depth) => `{}${scripts(element, depth)}${part(element, "m:e", depth)}`,
  "m:rad": convertRadical,
  "m:nary": convertNary,
  "m:d": convertDelimiters,
  "m:m": convertMatrix,
  "m:eqArr": convertEquationArray,
  "m:func": convertFunction,
  "m:limLow": (element, depth) => convertLimit(element, depth, "_"),
  "m:limUpp": (element, depth) => convertLimit(element, depth, "^"),
  "m:acc": convertAccent,
  "m:bar": (element, depth) =>
    `${property(element, "m:barPr", "m:pos") === "top" ? "\\overline" : "\\underline"}{${part(element, "m:e", depth)}}`,
  "m:borderBox": (element, depth) => `\\boxed{${part(element, "m:e", depth)}}`,
  "m:groupChr": convertGroupCharacter,
  "m:phant": (element, depth) => (isOff(element, "m:phantPr", "m:show") ? "" : part(element, "m:e", depth)),
};

function convertRun(run: OmmlElement): string {
  const text = run.children
    .filter((child) => typeof child !== "string")
    .filter(({ name }) => name === "m:t" || name === "w:t" || name === "a:t")
    .map(plainText)
    .join("");
  const properties = childOf(run, "m:rPr");
  if (properties === undefined) return toLatexMath(text);
  if (isOn(properties, "m:nor")) return toLatexText(text);
  return styled(text, properties);
}

function styled(text: string, properties: OmmlElement): string {
  const script = childOf(properties, "m:scr")?.get("m:val");
  const style = childOf(properties, "m:sty")?.get("m:val");
  const command = scriptCommands.get(script ?? "") ?? (style === "b" ? "\\mathbf" : undefined);
  if (command !== undefined && /[\p{L}\p{N}]/u.test(text)) return `${command}{${toLatexMath(text)}}`;
  if (style === "p" && /^[A-Za-z]{2,}$/.test(text)) {
    return latexFunctions.has(text) ? `\\${text}` : `\\mathrm{${text}}`;
  }
  return toLatexMath(text);
}

const scriptCommands: ReadonlyMap<string, string> = new Map([
  ["script", "\\mathcal"],
  ["fraktur", "\\mathfrak"],
  ["double-struck", "\\mathbb"],
  ["sans-serif", "\\mathsf"],
  ["monospace", "\\mathtt"],
]);

function convertFraction(element: OmmlElement, depth: number): string {
  const over = part(element, "m:num", depth);
  const under = part(element, "m:den", depth);
  switch (property(element, "m:fPr", "m:type")) {
    case "noBar":
      return `\\genfrac{}{}{0pt}{}{${over}}{${under}}`;
    case "lin":
    case "skw":
      return `${braced(over)}/${braced(under)}`;
    default:
      return `\\frac{${over}}{${under}}`;
  }
}

function convertRadical(element: OmmlElement, depth: number): string {
  const degree = isOn(childOf(element, "m:radPr"), "m:degHide") ? "" : part(element, "m:deg", depth);
  return `\\sqrt${degree === "" ? "" : `[${degree}]`}{${part(element, "m:e", depth)}}`;
}

function convertNary(element: OmmlElement, depth: number): string {
  const properties = childOf(element, "m:naryPr");
  const operator = toLatexSymbol(childOf(properties, "m:chr")?.get("m:val") ?? "∫");
  return joinLatex([operator + scripts(element, depth), part(element, "m:e", depth)]);
}

function scripts(element: OmmlElement, depth: number): string {
  const sub = part(element, "m:sub", depth);
  const sup = part(element, "m:sup", depth);
  return `${sub === "" ? "" : `_{${sub}}`}${sup === "" ? "" : `^{${sup}}`}`;
}

function convertDelimiters(element: OmmlElement, depth: number): string {
  const properties = childOf(element, "m:dPr");
  const open = childOf(properties, "m:begChr")?.get("m:val") ?? "(";
  const close = childOf(properties, "m:endChr")?.get("m:val") ?? ")";
  const separator = childOf(properties, "m:sepChr")?.get("m:val") ?? "|";
  const pieces = childrenOf(element, "m:e").map((child) => convertChildren(child, depth + 1));
  const matrix = pieces.length === 1 ? inDelimitedMatrix(open + close, pieces[0] ?? "") : undefined;
  if (matrix !== undefined) return matrix;
  const inner = pieces.join(separator === "|" ? " \\middle| " : ` ${toLatexMath(separator)} `);
  return `\\left${delimiter(open)}${startsWithLetter(inner, delimiter(open))}${inner}\\right${delimiter(close)}`;
}

// A matrix in plain delimiters has an environment of its own.
function inDelimitedMatrix(delimiters: string, inner: string): string | undefined {
  const body = /^\\begin\{matrix\}((?:(?!\\begin\{matrix\}).)*)\\end\{matrix\}$/s.exec(inner)?.[1];
  const environment = matrixEnvironments.get(delimiters);
  return body === undefined || environment === undefined
    ? undefined
    : `\\begin{${environment}}${body}\\end{${environment}}`;
}

const matrixEnvironments: ReadonlyMap<string, string> = new Map([
  ["()", "pmatrix"],
  ["[]", "bmatrix"],
  ["||", "vmatrix"],
  ["{}", "Bmatrix"],
  ["‖‖", "Vmatrix"],
]);

function delimiter(character: string): string {
  return character === "" ? "." : toLatexMath(character);
}

function startsWithLetter(latex: string, before: string): string {
  return /\\[a-zA-Z]+$/.test(before) && /^[a-zA-Z]/.test(latex) ? " " : "";
}

function convertMatrix(element: OmmlElement, depth: number): string {
  const rows = childrenOf(element, "m:mr").map((row) =>
    childrenOf(row, "m:e")
      .map((cell) => convertChildren(cell, depth + 1))
      .join(" & "),
  );
  return `\\begin{matrix}${rows.join(" \\\\ ")}\\end{matrix}`;
}

function convertEquationArray(element: OmmlElement, depth: number): string {
  const rows = childrenOf(element, "m:e").map((row) => convertChildren(row, depth + 1).replaceAll("\\&", "&"));
  if (rows.length === 1) return rows[0]?.replaceAll("&", "") ?? "";
  const lines = rows.map((row) => (row.includes("&") ? row : `&${row}`));
  return `\\begin{aligned}${lines.join(" \\\\ ")}\\end{aligned}`;
}

function convertFunction(element: OmmlElement, depth: number): string {
  const name = part(element, "m:fName", depth).trim();
  const plain = name.replace(/^\\(?:mathrm|text)\{([A-Za-z]+)\}/, "$1");
  const known = /^([A-Za-z]+)(.*)$/s.exec(plain);
  const command =
    known !== null && latexFunctions.has(known[1] ?? "") ? `\\${known[1]}${known[2]}` : operatorName(name);
  return joinLatex([command, part(element, "m:e", depth)]);
}

function operatorName(name: string): string {
  return /^[A-Za-z]{2,}$/.test(name) ? `\\operatorname{${name}}` : name;
}

function convertLimit(element: OmmlElement, depth: number, mark: "_" | "^"): string {
  const body = part(element, "m:e", depth).replace(/^\\mathrm\{([a-z]+)\}$/, "$1");
  const limit = part(element, "m:lim", depth);
  if (latexFunctions.has(body)) return `\\${body}${mark}{${limit}}`;
  if (mark === "_" && /^[A-Za-z]{2,}$/.test(body)) return `\\operatorname*{${body}}_{${limit}}`;
  if (/^\\(?:underbrace|overbrace|sum|prod|lim|max|min|sup|inf|det|gcd|Pr)\b/.test(body))
    return `${body}${mark}{${limit}}`;
  return mark === "_" ? `\\underset{${limit}}{${body}}` : `\\overset{${limit}}{${body}}`;
}

function convertAccent(element: OmmlElement, depth: number): string {
  const character = property(element, "m:accPr", "m:chr") ?? "\u0302";
  const body = part(element, "m:e", depth);
  const command = latexAccents.get(character);
  if (command === undefined) return `\\overset{${toLatexSymbol(character)}}{${body}}`;
  return `${wideAccents.get(body.length > 1 && !/^\\[a-zA-Z]+$/.test(body) ? command : "") ?? command}{${body}}`;
}

const wideAccents: ReadonlyMap<string, string> = new Map([
  ["\\hat", "\\widehat"],
  ["\\tilde", "\\widetilde"],
  ["\\bar", "\\overline"],
  ["\\vec", "\\overrightarrow"],
]);

function convertGroupCharacter(element: OmmlElement, depth: number): string {
  const character = property(element, "m:groupChrPr", "m:chr") ?? "⏟";
  const isAbove = property(element, "m:groupChrPr", "m:pos") === "top";
  const body = part(element, "m:e", depth);
  const brace = groupBraces.get(character);
  if (brace !== undefined) return `${brace}{${body}}`;
  return `\\${isAbove ? "overset" : "underset"}{${toLatexSymbol(character)}}{${body}}`;
}

const groupBraces: ReadonlyMap<string, string> = new Map([
  ["⏟", "\\underbrace"],
  ["⏞", "\\overbrace"],
  ["→", "\\overrightarrow"],
  ["←", "\\overleftarrow"],
  ["⎵", "\\underbracket"],
  ["⎴", "\\overbracket"],
]);

function part(element: OmmlElement, name: string, depth: number): string {
  return convertChildren(childOf(element, name), depth + 1);
}

// A script binds to one token, so any longer body is grouped.
function scriptedPart(element: OmmlElement, depth: number): string {
  const body = part(element, "m:e", depth);
  return singleToken.test(body) ? body : `{${body}}`;
}

const singleToken = /^(?:[^\\{}^_]|\\[a-zA-Z]+|\\[a-zA-Z]+\{[^{}\\]*\}|\\left\((?:(?!\\left|\\right).)*\\right\))$/su;

function braced(latex: string): string {
  return latex.length > 1 && !/^\\[a-zA-Z]+$/.test(latex) ? `{${latex}}` : latex;
}

function tidy(latex: string): string {
  // A caret typed into a formula means a power.
  return latex
    .replaceAll(/[ \t\r\n]+/g, " ")
    .replaceAll(/\\hat\{\}(?=[\p{L}\p{N}({])/gu, "^")
    .trim();
}

function childOf(element: OmmlElement | undefined, name: string): OmmlElement | undefined {
  return element?.children.find((child): child is OmmlElement => typeof child !== "string" && child.name === name);
}

function childrenOf(element: OmmlElement, name: string): OmmlElement[] {
  return element.children.filter((child): child is OmmlElement => typeof child !== "string" && child.name === name);
}

function property(element: OmmlElement, properties: string, name: string): string | undefined {
  return childOf(childOf(element, properties), name)?.get("m:val");
}

function isOn(properties: OmmlElement | undefined, name: string): boolean {
  const element = childOf(properties, name);
  return element !== undefined && !/^(0|false|off)$/.test(element.get("m:val") ?? "1");
}

function isOff(element: OmmlElement, properties: string, name: string): boolean {
  const found = childOf(childOf(element, properties), name);
  return found !== undefined && /^(0|false|off)$/.test(found.get("m:val") ?? "1");
}

function plainText(element: OmmlElement): string {
  return element.children.map((child) => (typeof child === "string" ? child : plainText(child))).join("");
}
