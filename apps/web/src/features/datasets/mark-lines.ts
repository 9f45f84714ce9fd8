export interface MarkedLine {
  readonly text: string;
  /** Whether the other side has it not. */
  readonly isMarked: boolean;
}

/** The lines of two texts, each with whether the other one lacks it; as often as it stands there. */
export function markLines(before: string, after: string) {
  const [from, to] = [linesOf(before), linesOf(after)];
  return { before: mark(from, to), after: mark(to, from) };
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.split("\n"));
// A comma is no difference: it comes and goes with the line that follows.
const contentOf = (line: string): string => line.replace(/,$/, "");

function mark(lines: readonly string[], others: readonly string[]): MarkedLine[] {
  const left = new Map<string, number>();
  for (const line of others.map(contentOf)) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.map((text) => {
    const count = left.get(contentOf(text)) ?? 0;
    if (count > 0) left.set(contentOf(text), count - 1);
    return { text, isMarked: count === 0 };
  });
}
