import type { Violation } from "../app-error.ts";

/**
 * Texts that no database and no file in UTF-8 can hold: with NUL, or with half a surrogate pair, which would silently become
 * another character. `part` is the pointer of `value`.
 */
export function checkCharacters(part: string, value: unknown): Violation[] {
  const violations: Violation[] = [];
  // A list and no recursion: what comes may be nested as deeply as its body is long.
  const waiting = [{ pointer: part, value }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { pointer, value: found } = next;
    const message = typeof found === "string" ? faultOf(found) : undefined;
    if (message !== undefined) violations.push({ pointer, message });
    if (typeof found !== "object" || found === null) continue;
    const entries = Object.entries(found);
    if (entries.some(([key]) => faultOf(key) !== undefined))
      violations.push({ pointer, message: "must not have a key with NUL or half of a surrogate pair" });
    for (const [key, inner] of entries) waiting.push({ pointer: `${pointer}/${escape(key)}`, value: inner });
  }
  return violations;
}

const escape = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

function faultOf(text: string): string | undefined {
  if (text.includes("\0")) return "must not hold NUL";
  return text.isWellFormed() ? undefined : "must not hold half of a surrogate pair";
}
