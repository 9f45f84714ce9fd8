const spacelessEnd =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\u3000-\u303f\uff00-\uffef]$/u;
const spacelessStart =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\u3000-\u303f\uff00-\uffef]/u;

/**
 * The lines of one paragraph as running text. Scripts written without spaces are joined without one; a word that a hyphen
 * divides keeps its hyphen, since it may be part of the word.
 */
export function joinLines(lines: readonly string[]): string {
  const parts: string[] = [];
  lines.forEach((line, index) => {
    const previous = lines[index - 1];
    parts.push((previous === undefined ? "" : gapBetween(previous, line)) + line);
  });
  return parts.join("");
}

/** What stands between the last character of a line and the first of the next when they become one. */
export function gapBetween(previous: string, next: string): "" | " " {
  const end = previous.slice(-8);
  const start = next.slice(0, 8);
  if (end === "" || start === "" || /\s$/.test(end)) return "";
  if (spacelessEnd.test(end) && spacelessStart.test(start)) return "";
  return /\p{L}-$/u.test(end) && /^\p{Ll}/u.test(start) ? "" : " ";
}
