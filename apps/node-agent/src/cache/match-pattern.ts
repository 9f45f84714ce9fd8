/**
 * Whether a path matches a pattern as hubs use them: `*` is any text, slashes too, `?` one character. Takes at most path
 * times pattern steps, whatever the pattern.
 */
export function matchPattern(path: string, pattern: string): boolean {
  let [at, inPattern] = [0, 0];
  let star = -1;
  let resumeAt = 0;
  while (at < path.length) {
    if (inPattern < pattern.length && pattern[inPattern] === "*") {
      star = inPattern++;
      resumeAt = at;
    } else if (inPattern < pattern.length && (pattern[inPattern] === "?" || pattern[inPattern] === path[at])) {
      at++;
      inPattern++;
    } else if (star >= 0) {
      // The last star takes one character more.
      inPattern = star + 1;
      at = ++resumeAt;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(inPattern));
}
