export interface TextPiece {
  readonly kind: "text" | "inline" | "display";
  /** Text as written, or the LaTeX between the delimiters, trimmed. */
  readonly text: string;
}

// The delimiters that MathJax and KaTeX's auto-render know by default.
const delimiters = [
  { open: "\\(", close: "\\)", kind: "inline" },
  { open: "\\[", close: "\\]", kind: "display" },
  { open: "$$", close: "$$", kind: "display" },
] as const;

const opening = /\\[([]|\$\$/g;

/** Takes text apart at its TeX formulas; a delimiter that is never closed is text. Linear. */
export function splitFormulas(raw: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  const unclosed = new Set<string>();
  let textAt = 0;
  opening.lastIndex = 0;
  for (let match = opening.exec(raw); match !== null; match = opening.exec(raw)) {
    const delimiter = delimiters.find(({ open }) => open === match?.[0]);
    if (delimiter === undefined || unclosed.has(delimiter.open)) continue;
    const from = match.index + delimiter.open.length;
    const closeAt = raw.indexOf(delimiter.close, from);
    if (closeAt === -1) unclosed.add(delimiter.open);
    else {
      pieces.push({ kind: "text", text: raw.slice(textAt, match.index) });
      const latex = raw.slice(from, closeAt).trim();
      if (latex !== "") pieces.push({ kind: delimiter.kind, text: latex });
      textAt = closeAt + delimiter.close.length;
      opening.lastIndex = textAt;
    }
  }
  pieces.push({ kind: "text", text: raw.slice(textAt) });
  return pieces;
}
