import type { MathmlNode } from "./mathml-node.ts";
import { renderToken, tokenText } from "./mathml-tokens.ts";
import {
  accentsOver,
  accentsUnder,
  closing,
  fenceCommands,
  largeOperators,
  limitNames,
  opening,
} from "./mathml-symbols.ts";

/**
 * Presentation MathML as LaTeX with amsmath and amssymb, without delimiters. A TeX annotation is not looked for: its bearer
 * knows best whether to trust it. Recursion is as deep as the tree.
 */
export function mathmlToLatex(math: MathmlNode): string {
  return render(math).replace(/ {2,}/g, " ").trim();
}

function render(node: MathmlNode): string {
  return (renderers[node.name] ?? renderRow)(node);
}

type Render = (node: MathmlNode) => string;

const renderers: Readonly<Record<string, Render>> = Object.assign(Object.create(null) as Record<string, Render>, {
  mi: renderToken,
  mn: renderToken,
  mo: renderToken,
  mtext: renderToken,
  ms: renderToken,
  mspace: renderSpace,
  mfrac: renderFraction,
  msqrt: (node: MathmlNode) => `\\sqrt{${renderRow(node)}}`,
  mroot: (node: MathmlNode) => `\\sqrt[${argument(node, 1)}]{${argument(node, 0)}}`,
  msub: (node: MathmlNode) => `${scriptBase(node)}_${script(node, 1)}`,
  msup: renderSuperscript,
  msubsup: (node: MathmlNode) => `${scriptBase(node)}_${script(node, 1)}^${script(node, 2)}`,
  munder: renderUnder,
  mover: renderOver,
  munderover: renderUnderOver,
  mmultiscripts: renderMultiscripts,
  mfenced: renderFenced,
  mtable: (node: MathmlNode) => renderTable(node, isAligned(node) ? "aligned" : "matrix"),
  menclose: renderEnclosed,
  mphantom: (node: MathmlNode) => `\\phantom{${renderRow(node)}}`,
  semantics: (node: MathmlNode) => argument(node, 0),
  maction: (node: MathmlNode) => argument(node, 0),
  annotation: () => "",
  "annotation-xml": () => "",
  mprescripts: () => "",
  none: () => "",
  mglyph: (node: MathmlNode) => `\\text{${node.attributes.get("alt") ?? ""}}`,
});

function elements(node: MathmlNode): MathmlNode[] {
  return node.children.filter((child) => typeof child !== "string");
}

function argument(node: MathmlNode, index: number): string {
  const child = elements(node)[index];
  return child === undefined ? "" : render(child).trim();
}

function renderRow(node: MathmlNode): string {
  const children = elements(node);
  if (children.length === 0) return renderLooseText(node);
  return renderMatrix(children) ?? renderStretched(children) ?? joinRow(children);
}

function renderLooseText(node: MathmlNode): string {
  const text = node.children
    .filter((child) => typeof child === "string")
    .join("")
    .trim();
  return text === "" ? "" : renderToken({ ...node, name: "mtext" });
}

const signs = new Set(["+", "-", "−", "±", "∓"]);

// A sign at the beginning or after another operator belongs to what follows it.
function joinRow(nodes: readonly MathmlNode[]): string {
  return joinAll(
    nodes.map((node, index) => {
      const before = nodes[index - 1];
      const isSign = node.name === "mo" && signs.has(tokenText(node)) && (before === undefined || before.name === "mo");
      return isSign && !closing.has(before === undefined ? "" : tokenText(before)) ? render(node).trim() : render(node);
    }),
  );
}

// Only the last part is looked at: asking the joined text would copy it each time.
function joinAll(parts: readonly string[]): string {
  const joined: string[] = [];
  let last = "";
  for (const part of parts) {
    if (part === "") continue;
    if (/^[A-Za-z]/.test(part) && /\\[A-Za-z]+$/.test(last.slice(-40))) joined.push(" ");
    joined.push(part);
    last = part;
  }
  return joined.join("");
}

const environments: Readonly<Record<string, string>> = {
  "()": "pmatrix",
  "[]": "bmatrix",
  "{}": "Bmatrix",
  "||": "vmatrix",
  "‖‖": "Vmatrix",
  "{": "cases",
};

// A table between fences, and nothing else.
function renderMatrix(children: readonly MathmlNode[]): string | undefined {
  const visible = children.filter((child) => child.name !== "mo" || tokenText(child) !== "");
  const [first, second] = visible;
  if (first?.name !== "mo" || second === undefined || visible.length > 3) return undefined;
  const table = unwrapTable(second);
  const last = visible[2];
  if (table === undefined || (last !== undefined && last.name !== "mo")) return undefined;
  const environment = environments[tokenText(first) + (last === undefined ? "" : tokenText(last))];
  return environment === undefined ? undefined : renderTable(table, environment);
}

function unwrapTable(node: MathmlNode): MathmlNode | undefined {
  if (node.name === "mtable") return node;
  const inner = elements(node);
  return node.name === "mrow" && inner.length === 1 ? unwrapTable(inner[0] as MathmlNode) : undefined;
}

const tall = new Set(["mfrac", "mtable", "munderover", "munder", "mover", "msubsup", "msqrt", "mroot"]);

// Fences around something tall grow with it.
function renderStretched(children: readonly MathmlNode[]): string | undefined {
  const [first, last] = [children[0], children.at(-1)];
  if (children.length < 3 || first?.name !== "mo" || last?.name !== "mo") return undefined;
  const [open, close] = [tokenText(first), tokenText(last)];
  if (!opening.has(open) || !closing.has(close)) return undefined;
  const inner = children.slice(1, -1);
  if (!inner.some(isTall) || !isBalanced(inner)) return undefined;
  return stretch(open, joinRow(inner), close);
}

function isTall(node: MathmlNode): boolean {
  return tall.has(node.name) || (node.name === "mrow" && elements(node).some(isTall));
}

// `(a)(b)` in one row is two pairs, not one.
function isBalanced(nodes: readonly MathmlNode[]): boolean {
  let depth = 0;
  for (const node of nodes) {
    const text = node.name === "mo" ? tokenText(node) : "";
    if (opening.has(text) && !closing.has(text)) depth++;
    else if (closing.has(text) && !opening.has(text) && --depth < 0) return false;
  }
  return depth === 0;
}

function stretch(open: string, content: string, close: string): string {
  const side = (text: string): string => (text === "" ? "." : (fenceCommands.get(text) ?? text));
  return `\\left${side(open)} ${content.trim()} \\right${side(close)}`;
}

function renderSpace(node: MathmlNode): string {
  if (node.attributes.get("linebreak") === "newline") return "\\\\ ";
  const width = /^([\d.]+)em$/.exec(node.attributes.get("width")?.trim() ?? "")?.[1];
  if (width === undefined) return " ";
  const em = Number(width);
  return em >= 2 ? "\\qquad " : em >= 1 ? "\\quad " : em > 0 ? "\\, " : "";
}

function renderFraction(node: MathmlNode): string {
  const [numerator, denominator] = [argument(node, 0), argument(node, 1)];
  if (/^0(?:\.0+)?[a-z%]*$/.test(node.attributes.get("linethickness")?.trim() ?? "")) {
    return `{${numerator} \\atop ${denominator}}`;
  }
  if (node.attributes.get("bevelled") === "true") return `{${numerator}}/{${denominator}}`;
  return `\\frac{${numerator}}{${denominator}}`;
}

function script(node: MathmlNode, index: number): string {
  return `{${argument(node, index)}}`;
}

// One token needs no braces; an empty base would attach the script to what stands before.
function scriptBase(node: MathmlNode): string {
  const base = argument(node, 0);
  if (base === "") return "{}";
  return /^(?:[A-Za-z0-9)\]|]|\\[A-Za-z]+|\\[{}|]|\\math[a-z]+\{[^{}]*\})$/.test(base) ? base : `{${base}}`;
}

function renderSuperscript(node: MathmlNode): string {
  const exponent = elements(node)[1];
  const primes = exponent?.name === "mo" ? /^[′'″‴]+$/.exec(tokenText(exponent))?.[0] : undefined;
  if (primes === undefined) return `${scriptBase(node)}^${script(node, 1)}`;
  return scriptBase(node) + primes.replaceAll("″", "''").replaceAll("‴", "'''").replaceAll("′", "'");
}

function markOf(node: MathmlNode, index: number): string {
  const child = elements(node)[index];
  return child !== undefined && /^m[oit]/.test(child.name) ? tokenText(child) : "";
}

function takesLimits(node: MathmlNode): boolean {
  const base = elements(node)[0];
  if (base === undefined) return false;
  const text = base.name === "mrow" ? "" : tokenText(base);
  return largeOperators.has(text) || limitNames.has(text.replace(/\s/g, ""));
}

function renderUnder(node: MathmlNode): string {
  const accent = accentsUnder.get(markOf(node, 1));
  if (accent !== undefined) return `${accent}{${argument(node, 0)}}`;
  const isBrace = argument(node, 0).startsWith("\\underbrace{");
  if (takesLimits(node) || isBrace) return `${argument(node, 0)}_${script(node, 1)}`;
  return `\\underset{${argument(node, 1)}}{${argument(node, 0)}}`;
}

function renderOver(node: MathmlNode): string {
  const base = argument(node, 0);
  const accent = accentsOver.get(markOf(node, 1));
  if (accent !== undefined) return `${accent[/^(?:.|\\[A-Za-z]+)$/u.test(base) ? 0 : 1]}{${base}}`;
  if (takesLimits(node) || base.startsWith("\\overbrace{")) return `${base}^${script(node, 1)}`;
  if (base === "\\rightarrow" || base === "\\longrightarrow") return `\\xrightarrow{${argument(node, 1)}}`;
  if (base === "\\leftarrow" || base === "\\longleftarrow") return `\\xleftarrow{${argument(node, 1)}}`;
  return `\\overset{${argument(node, 1)}}{${base}}`;
}

function renderUnderOver(node: MathmlNode): string {
  const base = argument(node, 0);
  if (takesLimits(node)) return `${base}_${script(node, 1)}^${script(node, 2)}`;
  return `\\overset{${argument(node, 2)}}{\\underset{${argument(node, 1)}}{${base}}}`;
}

// Base, then pairs of sub- and superscripts after it, then those before it.
function renderMultiscripts(node: MathmlNode): string {
  const children = elements(node);
  const splitAt = children.findIndex(({ name }) => name === "mprescripts");
  const after = children.slice(1, splitAt === -1 ? undefined : splitAt);
  const before = splitAt === -1 ? [] : children.slice(splitAt + 1);
  const prefix = renderPairs(before);
  return `${prefix === "" ? "" : `{}${prefix}`}${scriptBase(node)}${renderPairs(after)}`;
}

function renderPairs(nodes: readonly MathmlNode[]): string {
  let text = "";
  for (const [index, node] of nodes.entries()) {
    const content = render(node).trim();
    if (content !== "") text += `${index % 2 === 0 ? "_" : "^"}{${content}}`;
  }
  return text;
}

function renderFenced(node: MathmlNode): string {
  const { attributes } = node;
  const separators = Array.from((attributes.get("separators") ?? ",").replace(/\s/g, ""));
  const parts = elements(node).map((child) => render(child).trim());
  const separated = parts.map((part, index) => {
    const separator = index === 0 ? "" : (separators[Math.min(index, separators.length) - 1] ?? "");
    return separator === "" ? part : `${separator} ${part}`;
  });
  return stretch(attributes.get("open") ?? "(", separated.join(""), attributes.get("close") ?? ")");
}

function isAligned({ attributes }: MathmlNode): boolean {
  return /right\s+left/.test(attributes.get("columnalign") ?? "");
}

function renderTable(table: MathmlNode, environment: string): string {
  const rows = elements(table).filter(({ name }) => name === "mtr" || name === "mlabeledtr");
  const lines = rows.map((row) => {
    const cells = elements(row).slice(row.name === "mlabeledtr" ? 1 : 0);
    return cells.map((cell) => renderRow(cell).trim()).join(" & ");
  });
  return `\\begin{${environment}} ${lines.join(" \\\\ ")} \\end{${environment}}`;
}

const enclosures: Readonly<Record<string, string>> = {
  radical: "\\sqrt",
  box: "\\boxed",
  roundedbox: "\\boxed",
  updiagonalstrike: "\\cancel",
  downdiagonalstrike: "\\bcancel",
  top: "\\overline",
  bottom: "\\underline",
};

function renderEnclosed(node: MathmlNode): string {
  const notations = (node.attributes.get("notation") ?? "").split(/\s+/);
  const command = notations.map((notation) => enclosures[notation]).find((known) => known !== undefined);
  return command === undefined ? renderRow(node) : `${command}{${renderRow(node)}}`;
}
