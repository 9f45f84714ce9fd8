// Parsing builds objects many times the size of the text; beyond this the check would cost more than it tells.
const maxCheckedLength = 32 << 20;

/** Where a text stops being JSON, as `line 3, column 5`; undefined when it is JSON, or too long to be checked. */
export function findJsonError(text: string): string | undefined {
  if (text.length > maxCheckedLength) return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return toPlace(text, error instanceof Error ? error.message : "");
  }
}

// V8 tells `at position 17` of most errors, and nothing of a text that ends too early.
function toPlace(text: string, message: string): string {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined) return "it ends too early";
  const before = text.slice(0, Number(position));
  const lineStart = before.lastIndexOf("\n") + 1;
  return `line ${before.split("\n").length}, column ${before.length - lineStart + 1}`;
}
