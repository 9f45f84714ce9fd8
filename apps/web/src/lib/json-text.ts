/**
 * The same JSON over several lines, each level indented by two blanks. Works on the text, so that numbers, keys and escapes
 * stay as they are written. Text that is no JSON comes back as it is.
 */
export function indentJson(text: string): string {
  if (!isJson(text)) return text;
  let depth = 0;
  let indented = "";
  const tokens = tokensOf(text);
  for (const [index, token] of tokens.entries()) {
    if (isClosing(token)) depth--;
    if (isClosing(token) && !isOpening(tokens[index - 1])) indented += newLine(depth);
    indented += token === ":" ? ": " : token;
    if (isOpening(token)) depth++;
    if (endsLine(token, tokens[index + 1])) indented += newLine(depth);
  }
  return indented;
}

/** The same JSON on one line, without blanks between its parts. Text that is no JSON comes back as it is. */
export const compactJson = (text: string): string => (isJson(text) ? tokensOf(text).join("") : text);

/** Why a text cannot be a row: what is wrong in the parser's words, or that it is no object. */
export function rowFault(text: string): "notAnObject" | { readonly message: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? undefined : "notAnObject";
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const tokensOf = (json: string): string[] => json.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs) ?? [];
const isOpening = (token: string | undefined): boolean => token === "{" || token === "[";
const isClosing = (token: string | undefined): boolean => token === "}" || token === "]";
const endsLine = (token: string, next: string | undefined): boolean =>
  token === "," || (isOpening(token) && !isClosing(next));
const newLine = (depth: number): string => `\n${"  ".repeat(depth)}`;
