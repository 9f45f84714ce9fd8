import type { Violation } from "@attune/service-kit/app-error.ts";

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
    if (typeof found === "string") {
      const message = faultOf(found);
      if (message !== undefined) violations.push({ pointer, message });
    } else if (typeof found === "object" && found !== null) {
      for (const [key, inner] of Object.entries(found)) {
        waiting.push({ pointer: `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, value: inner });
        if (faultOf(key) !== undefined) violations.push({ pointer, message: "has a key with NUL or half a character" });
      }
    }
  }
  return violations;
}

function faultOf(text: string): string | undefined {
  if (text.includes("\0")) return "must not hold NUL";
  return text.isWellFormed() ? undefined : "must not hold half of a surrogate pair";
}
