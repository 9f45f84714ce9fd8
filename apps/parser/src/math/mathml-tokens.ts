import {
  binaryOperators,
  fenceCommands,
  functionNames,
  largeOperators,
  relationOperators,
  symbols,
} from "./mathml-symbols.ts";
import type { MathmlNode } from "./mathml-node.ts";

// Function application, invisible times, separator and plus say nothing that LaTeX writes.
const invisible = /[\u2061-\u2064\u200b]|\u200c|\u200d|\ufeff/g;

/** The text of `mi`, `mn`, `mo`, `mtext` and `ms`, white space collapsed. */
export function tokenText(node: MathmlNode): string {
  return rawText(node)
    .replace(invisible, "")
    .replace(/[ \t\r\n]+/g, " ")
    .trim();
}

function rawText(node: MathmlNode): string {
  return node.children.map((child) => (typeof child === "string" ? child : rawText(child))).join("");
}

/** One token as LaTeX; operators that stand between operands carry spaces. */
export function renderToken(node: MathmlNode): string {
  if (node.name === "mtext" || node.name === "ms") return renderText(node);
  const text = tokenText(node);
  if (text === "") return "";
  if (node.name === "mo") return renderOperator(text);
  return renderIdentifier(text, node);
}

function renderText(node: MathmlNode): string {
  const text = rawText(node)
    .replace(invisible, "")
    .replace(/[\s\u00a0]+/g, " ");
  if (text.trim() === "") return text === "" ? "" : "\\ ";
  return `\\text{${escapeText(text)}}`;
}

function escapeText(text: string): string {
  return text.replace(/[\\{}$&#%_^~]/g, (character) => {
    if (character === "\\") return "\\textbackslash{}";
    if (character === "^") return "\\textasciicircum{}";
    return character === "~" ? "\\textasciitilde{}" : `\\${character}`;
  });
}

function renderOperator(text: string): string {
  const between = relationOperators.get(text) ?? binaryOperators.get(text);
  if (between !== undefined) return ` ${between} `;
  const large = largeOperators.get(text);
  if (large !== undefined) return large;
  const fence = fenceCommands.get(text);
  if (fence !== undefined) return fence;
  if (text === "," || text === ";") return `${text} `;
  if (functionNames.has(text)) return `\\${text} `;
  return /^[A-Za-z]{2,}/.test(text) ? `\\operatorname{${escapeText(text)}}` : characters(text);
}

const variants: Readonly<Record<string, string>> = {
  bold: "mathbf",
  "bold-italic": "boldsymbol",
  "double-struck": "mathbb",
  script: "mathcal",
  "bold-script": "mathcal",
  fraktur: "mathfrak",
  "sans-serif": "mathsf",
  monospace: "mathtt",
  normal: "mathrm",
};

function renderIdentifier(text: string, node: MathmlNode): string {
  const variant = variants[node.attributes.get("mathvariant")?.trim() ?? ""];
  if (functionNames.has(text)) return `\\${text} `;
  const content = characters(text);
  const isWord = node.name === "mi" && /^[\p{L}\d ]{2,}$/u.test(text);
  if (variant === undefined) return isWord ? `\\mathrm{${content}}` : content;
  const isUpright = variant === "mathrm" && !isWord && (node.name === "mn" || !/^[A-Za-z]$/.test(text));
  return isUpright ? content : `\\${variant}{${content}}`;
}

/** Each character as LaTeX writes it; letters of the mathematical alphabets as their command. */
function characters(text: string): string {
  let latex = "";
  for (const character of text) {
    const command = commandOf(character);
    const needsSpace = /\\[A-Za-z]+$/.test(latex) && /^[A-Za-z]/.test(command);
    latex += (needsSpace ? " " : "") + command;
  }
  return latex;
}

function commandOf(character: string): string {
  return (
    symbols.get(character) ??
    relationOperators.get(character) ??
    binaryOperators.get(character) ??
    largeOperators.get(character) ??
    fenceCommands.get(character) ??
    alphabetLetter(character) ??
    escapeCharacter(character)
  );
}

function escapeCharacter(character: string): string {
  if (character === "\\") return "\\backslash";
  if (character === "^" || character === "~") return `\\text{\\${character}{}}`;
  return character === "\u00a0" ? "\\ " : character;
}

// Latin letters of the block U+1D400, 52 to an alphabet: what NFKC would turn into plain letters.
const alphabets = [
  "mathbf",
  "",
  "boldsymbol",
  "mathcal",
  "mathcal",
  "mathfrak",
  "mathbb",
  "mathfrak",
  "mathsf",
  "mathsf",
  "mathsf",
  "mathsf",
  "mathtt",
] as const;

function alphabetLetter(character: string): string | undefined {
  const code = character.codePointAt(0) as number;
  if (code < 0x1d400 || code > 0x1d7ff) return undefined;
  const plain = character.normalize("NFKC");
  const known = symbols.get(plain) ?? plain;
  const command = alphabets[Math.floor((code - 0x1d400) / 52)];
  return command === undefined || command === "" ? known : `\\${command}{${known}}`;
}
