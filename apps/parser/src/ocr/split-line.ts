import type { OcrLine, OcrWord } from "./parse-hocr.ts";

/** A gap wider than this, in sizes of the line, parts columns or cells. */
const widestGap = 1.5;

/** Parts a line that runs across a gap between columns, which may be set in different type on either side. */
export function splitLine(line: OcrLine): readonly OcrLine[] {
  const pieces: OcrWord[][] = [];
  for (const word of line.words) {
    const last = pieces.at(-1)?.at(-1);
    if (last === undefined || gapBetween(last, word) > line.size * widestGap) pieces.push([word]);
    else pieces.at(-1)?.push(word);
  }
  if (pieces.length < 2) return [line];
  return pieces.map((words) => ({
    ...line,
    words,
    left: Math.min(...words.map(({ left }) => left)),
    right: Math.max(...words.map(({ right }) => right)),
  }));
}

// In scripts written to the left the next word stands on the other side.
function gapBetween(a: OcrWord, b: OcrWord): number {
  return Math.max(a.left, b.left) - Math.min(a.right, b.right);
}
