/** A piece of one section of a number format (ECMA-376 part 1, 18.8.31). */
export type FormatToken =
  | { readonly type: "literal"; readonly text: string }
  /** `0`, `#` or `?`. */
  | { readonly type: "digit"; readonly text: string }
  | { readonly type: "point" | "comma" | "percent" | "slash" | "text" | "general" | "ampm" }
  /** `E+` or `E-`. */
  | { readonly type: "exponent"; readonly text: string }
  /** A run of y, m, d, h or s, lower case. */
  | { readonly type: "date"; readonly text: string }
  /** `[h]`, `[mm]`, `[ss]`: time passed, in that unit. */
  | { readonly type: "elapsed"; readonly text: string };

export interface FormatSection {
  readonly tokens: readonly FormatToken[];
  readonly condition?: FormatCondition;
}

export interface FormatCondition {
  readonly operator: string;
  readonly operand: number;
}

const maxCodeLength = 1024;

/** The sections of a format code, at most four. Codes longer than Excel allows are cut. */
export function tokenizeFormat(code: string): FormatSection[] {
  const sections: FormatSection[] = [];
  let tokens: FormatToken[] = [];
  let condition: FormatCondition | undefined;
  const text = code.slice(0, maxCodeLength);
  for (let at = 0; at < text.length && sections.length < 4;) {
    if (text[at] === ";") {
      sections.push(toSection(tokens, condition));
      tokens = [];
      condition = undefined;
      at++;
      continue;
    }
    const piece = readPiece(text, at);
    if (piece.token !== undefined) tokens.push(piece.token);
    condition ??= piece.condition;
    at = piece.end;
  }
  if (sections.length < 4) sections.push(toSection(tokens, condition));
  return sections;
}

function toSection(tokens: readonly FormatToken[], condition: FormatCondition | undefined): FormatSection {
  return { tokens, ...(condition !== undefined && { condition }) };
}

interface Piece {
  readonly token?: FormatToken;
  readonly condition?: FormatCondition;
  readonly end: number;
}

const single: Readonly<Record<string, FormatToken>> = {
  ".": { type: "point" },
  ",": { type: "comma" },
  "%": { type: "percent" },
  "/": { type: "slash" },
  "@": { type: "text" },
};

function readPiece(text: string, at: number): Piece {
  const character = text[at] as string;
  if (character === '"') return readQuoted(text, at);
  if (character === "\\" || character === "!")
    return { token: { type: "literal", text: text[at + 1] ?? "" }, end: at + 2 };
  // A space as wide as a character, and a character that fills the cell: neither is text.
  if (character === "_") return { token: { type: "literal", text: " " }, end: at + 2 };
  if (character === "*") return { end: at + 2 };
  if (character === "[") return readBracket(text, at);
  if (character === "0" || character === "#" || character === "?")
    return { token: { type: "digit", text: character }, end: at + 1 };
  const token = single[character];
  return token === undefined ? readWord(text, at) : { token, end: at + 1 };
}

function readQuoted(text: string, at: number): Piece {
  const closeAt = text.indexOf('"', at + 1);
  const end = closeAt === -1 ? text.length : closeAt;
  return { token: { type: "literal", text: text.slice(at + 1, end) }, end: end + 1 };
}

const conditionPattern = /^(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?(?:E[+-]?\d+)?)$/i;

function readBracket(text: string, at: number): Piece {
  const closeAt = text.indexOf("]", at);
  if (closeAt === -1) return { end: text.length };
  const body = text.slice(at + 1, closeAt);
  const end = closeAt + 1;
  if (/^(?:h+|m+|s+)$/i.test(body)) return { token: { type: "elapsed", text: body.toLowerCase() }, end };
  const [, operator, operand] = conditionPattern.exec(body) ?? [];
  if (operator !== undefined) return { condition: { operator, operand: Number(operand) }, end };
  // [$€-407] carries a currency sign before the locale; [Red], [DBNum1] and the like carry no text.
  const currency = body.startsWith("$") ? (body.slice(1).split("-")[0] ?? "") : "";
  return currency === "" ? { end } : { token: { type: "literal", text: currency }, end };
}

const wordPattern = /General|E[+-]|AM\/PM|A\/P|y+|m+|d+|h+|s+|e+|b+|g+/iy;

function readWord(text: string, at: number): Piece {
  wordPattern.lastIndex = at;
  const word = wordPattern.exec(text)?.[0];
  if (word === undefined) return { token: { type: "literal", text: text[at] as string }, end: at + 1 };
  return { token: wordToken(word), end: at + word.length };
}

function wordToken(word: string): FormatToken {
  const lower = word.toLowerCase();
  if (lower === "general") return { type: "general" };
  if (lower.includes("/")) return { type: "ampm" };
  if (lower === "e+" || lower === "e-") return { type: "exponent", text: word };
  // Years of Japanese eras (e, g) and of the Buddhist calendar (b) are shown as years of the common era.
  if (/^[ebg]/.test(lower)) return { type: "date", text: lower.startsWith("g") ? "" : "yyyy" };
  return { type: "date", text: lower };
}
