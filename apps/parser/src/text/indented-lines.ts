/** Spaces before the first other character, tabs counting to the next multiple of eight. */
export function indentOf(line: string): number {
  let width = 0;
  for (const character of line) {
    if (character === " ") width++;
    else if (character === "\t") width += 8 - (width % 8);
    else break;
  }
  return width;
}

/** The lines without the indent they all share; blank lines do not count. */
export function dedent(lines: readonly string[]): string[] {
  const shared = lines.reduce(
    (least, line) => (line.trim() === "" ? least : Math.min(least, /^\s*/.exec(line)?.[0].length ?? 0)),
    Number.POSITIVE_INFINITY,
  );
  return lines.map((line) => line.slice(Math.min(shared, line.length)));
}

/** The lines from `start` on that are blank or indented by at least `indent`, without blank lines at their end. */
export function takeIndented(lines: readonly string[], start: number, indent: number): readonly string[] {
  let end = start;
  let last = start;
  while (end < lines.length) {
    const line = lines[end] as string;
    const isBlank = line.trim() === "";
    if (!isBlank && indentOf(line) < indent) break;
    end++;
    if (!isBlank) last = end;
  }
  return lines.slice(start, last);
}

/** The lines without blank ones at both ends. */
export function trimBlank(lines: readonly string[]): readonly string[] {
  let start = 0;
  let end = lines.length;
  while (start < end && (lines[start] as string).trim() === "") start++;
  while (end > start && (lines[end - 1] as string).trim() === "") end--;
  return lines.slice(start, end);
}

/** Tabs as spaces, to stops of `width` columns. */
export function expandTabs(line: string, width: number): string {
  if (!line.includes("\t")) return line;
  let result = "";
  for (const character of line) {
    result += character === "\t" ? " ".repeat(width - (result.length % width)) : character;
  }
  return result;
}
