/** White space and line ends as Python's `str` and `re` have them, which the scores of opendataloader-bench are made with. */
const space = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const spaces = new RegExp(`${space}+`, "g");
const outerSpaces = new RegExp(`^${space}+|${space}+$`, "g");
const ends = "\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029";
const lines = new RegExp(`[^${ends}]*(?:\\r\\n|[${ends}]|$)`, "g");
const lineEnd = new RegExp(`[${ends}]+$`);

/** `str.strip()` */
export function strip(text: string): string {
  return text.replace(outerSpaces, "");
}

/** `re.sub(r"\s+", " ", text).strip()` */
export function collapse(text: string): string {
  return strip(text.replace(spaces, " "));
}

/** `text.splitlines(keepends=True)` */
export function splitLinesKeepingEnds(text: string): string[] {
  return (text.match(lines) ?? []).filter((line) => line !== "");
}

/** `text.splitlines()` */
export function splitLines(text: string): string[] {
  return splitLinesKeepingEnds(text).map((line) => line.replace(lineEnd, ""));
}
