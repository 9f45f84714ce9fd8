import type { Word } from "./word.ts";

/** Signs that stand high by their own design: setting them as superscript says nothing more. */
const highSigns = /^[°′″‴*∗†‡§¶®™©]+$/;
/** Signs that fonts without a degree sign are raised for. */
const rings = /^[∘◦º˚]$/;
/** Prime in the private use area of fonts made for MathType. */
const privatePrime = "\u{F8020}";

/**
 * The text of a raised word that stands for itself, without being superscript; undefined where raising it says something. A ring,
 * and a small o or 0, or a sign that the file does not tell, before the letter of a scale of temperature, is a degree sign.
 */
export function textOfRaisedMark(text: string, after: Word | undefined): string | undefined {
  if (highSigns.test(text)) return text;
  if (rings.test(text)) return "°";
  if (text === privatePrime) return "′";
  const isDegree = /^[oO0\uFFFD]$/.test(text) && after?.isGlued === true && /^[CF](?![A-Za-z])/.test(after.text);
  return isDegree ? "°" : undefined;
}
