import { toLatexSymbol } from "./omml-symbols.ts";

/** Text of a formula's run, set in math. */
export function toLatexMath(text: string): string {
  const symbols: string[] = [];
  for (const character of text.normalize("NFC").replaceAll(wordSpace, "\u00a0")) symbols.push(toLatexSymbol(character));
  return joinLatex(symbols);
}

// Spaces between words mean something; others only set operators apart, which LaTeX does itself.
const wordSpace = /(?<=[\p{L}\p{N}]) (?=[\p{L}\p{N}])|(?<=\p{L}{2}) $/gu;

/** Text of a formula's run that is prose, set upright with its spaces. */
export function toLatexText(text: string): string {
  if (text.trim() === "") return text === "" ? "" : "\\ ";
  return `\\text{${text.replace(/[\\{}$&#_%~^]/g, (character) => textEscapes[character] ?? `\\${character}`)}}`;
}

const textEscapes: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
};

/** Puts pieces together; a command and a letter after it need a space between them. */
export function joinLatex(pieces: readonly string[]): string {
  let latex = "";
  let last = "";
  for (const piece of pieces) {
    if (piece === "") continue;
    if (/^[a-zA-Z]/.test(piece) && endsWithCommand(last)) latex += " ";
    latex += piece;
    last = piece;
  }
  return latex;
}

/** Letters of the longest command that is looked for at the end of a piece. */
const longestCommand = 24;

function endsWithCommand(latex: string): boolean {
  return /\\[a-zA-Z]+$/.test(latex.slice(-longestCommand));
}
