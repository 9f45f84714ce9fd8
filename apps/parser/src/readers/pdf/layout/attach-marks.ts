import { isLoneMark } from "./item-mark.ts";
import { type Line, toLine } from "./line.ts";

/** The text of an item stands at most this many ems behind its mark. */
const maxGap = 4;
/** Lone marks beyond which a page is a drawing or a table of signs. */
const maxMarks = 500;

/** Puts the mark of an item, whose text stands behind it at a tab, on the line of that text. */
export function attachMarks(lines: readonly Line[]): readonly Line[] {
  const marks = lines.filter(isLoneMark);
  if (marks.length === 0 || marks.length > maxMarks) return lines;
  const texts = new Map<Line, Line>();
  const used = new Set<Line>();
  for (const mark of marks) {
    const text = textBehind(mark, lines);
    if (text === undefined || texts.has(text) || !isInColumn(mark, text, { marks, lines })) continue;
    texts.set(text, mark);
    used.add(mark);
  }
  return lines.filter((line) => !used.has(line)).map((line) => withMark(line, texts.get(line)));
}

function textBehind(mark: Line, lines: readonly Line[]): Line | undefined {
  let nearest: Line | undefined;
  for (const line of lines) {
    if (line === mark || line.left < mark.right || Math.abs(line.baseline - mark.baseline) > line.size * 0.3) continue;
    if (nearest === undefined || line.left < nearest.left) nearest = line;
  }
  if (nearest === undefined || nearest.left - mark.right > nearest.size * maxGap || isLoneMark(nearest))
    return undefined;
  return nearest;
}

/** Lines up to this many ems above and below tell where the column of an item lies. */
const nearby = 20;

// A mark belongs to the column of its text where other lines begin at the mark and run over the text, or other marks stand
// exactly above one another; but numbers in brackets at the edge of a column are those of equations.
function isInColumn(
  mark: Line,
  text: Line,
  { marks, lines }: { readonly marks: readonly Line[]; readonly lines: readonly Line[] },
): boolean {
  const em = text.size;
  const isNear = (line: Line) => Math.abs(line.baseline - mark.baseline) < em * nearby;
  const isAfterText = lines.some(
    (line) =>
      line.left < mark.left && mark.left - line.right < em * 1.5 && Math.abs(line.baseline - mark.baseline) < em * 0.3,
  );
  if (isAfterText) return false;
  const spans = (line: Line) => line.left < mark.left + em * 0.5 && line.right > text.left + em * 2;
  if (lines.some((line) => isNear(line) && line !== mark && spans(line))) return true;
  const isAligned = (other: Line) => Math.abs(other.left - mark.left) < 1 || Math.abs(other.right - mark.right) < 1;
  return (
    mark.words[0]?.text.startsWith("(") !== true &&
    marks.some((other) => other !== mark && isNear(other) && isAligned(other))
  );
}

function withMark(line: Line, mark: Line | undefined): Line {
  if (mark === undefined) return line;
  const [first, ...rest] = line.words;
  return first === undefined ? line : toLine([...mark.words, { ...first, isGlued: false }, ...rest]);
}
