import { toLatexSymbol } from "./omml-symbols.ts";

/** Text of a formula's run, set in math. */
export function toLatexMath(text: string): string {
  let latex = "";
  for (const character of text.normalize("NFC").replaceAll(wordSpace, "\u00a0")) {
    latex = joinLatex(latex, toLatexSymbol(character));
  }
  return latex;
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

/** Puts two pieces together; a command and a letter after it need a space between them. */
export function joinLatex(before: string, after: string): string {
  return /\\[a-zA-Z]+$/.test(before) && /^[a-zA-Z]/.test(after) ? `${before} ${after}` : before + after;
}
