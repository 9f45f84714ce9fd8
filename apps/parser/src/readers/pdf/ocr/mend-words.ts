import type { OcrWord } from "../../../ocr/parse-hocr.ts";

/** Typewriters, and those who learned on them, leave two spaces after a sentence, which would look like a gap between columns. */
const sentenceGap = 1.7;
const usualSpace = 0.4;

/**
 * The words of a line with the ends that they should have: Tesseract measures those of Chinese and Japanese wrongly, and the signs of
 * full width of these scripts fill less of their square than they take. `em` is in the unit of the boxes.
 */
export function mendWords(words: readonly OcrWord[], em: number): readonly OcrWord[] {
  return words.map((word, index) => {
    const next = words[index + 1];
    // Scripts that run to the left have their next word on the other side.
    if (next === undefined || next.left <= word.left) return word;
    const gap = next.left - word.right;
    const isDense = isFullWidth(word.text.at(-1)) && isFullWidth(next.text[0]);
    if (gap < 0 || (isDense && gap < em)) return { ...word, right: next.left };
    const isSentenceEnd = /[.!?:]["”’)]?$/.test(word.text);
    return isSentenceEnd && gap < em * sentenceGap
      ? { ...word, right: Math.max(word.right, next.left - em * usualSpace) }
      : word;
  });
}

function isFullWidth(character: string | undefined): boolean {
  return character !== undefined && /[\u3000-\u30FF\u3400-\u9FFF\uF900-\uFAFF\uFF00-\uFF60]/.test(character);
}
