import type { OcrLine } from "../../../ocr/parse-hocr.ts";

/** Strokes of bold type are at least this much thicker, for their size, than those of the running text. */
const boldRatio = 1.28;

/** Whether each line is set in bold type, by the thickness of its strokes; `sizes` are those of the lines. */
export function findBoldLines(lines: readonly OcrLine[], sizes: readonly number[]): readonly boolean[] {
  const weights = lines.map(({ stroke }, index) => stroke && stroke / (sizes[index] as number));
  const known = lines.flatMap(({ words }, index) => {
    const weight = weights[index];
    return weight === undefined ? [] : [{ weight, letterCount: words.reduce((sum, { text }) => sum + text.length, 0) }];
  });
  known.sort((a, b) => a.weight - b.weight);
  const half = known.reduce((sum, { letterCount }) => sum + letterCount, 0) / 2;
  let passed = 0;
  const usual = known.find(({ letterCount }) => (passed += letterCount) >= half)?.weight ?? 0;
  return weights.map((weight) => weight !== undefined && weight > usual * boldRatio);
}
