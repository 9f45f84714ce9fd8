import { splitRecords } from "./split-records.ts";

/** In the order in which they win when the text fits several. */
export const delimiters = ["\t", ";", ",", "|"] as const;

const sampleLength = 1 << 16;
const sampleRecords = 100;

interface Fit {
  readonly delimiter: string;
  readonly columns: number;
  /** Share of records that have as many fields as most have. */
  readonly evenness: number;
}

/** The delimiter by which the records at the beginning are the most even, or a comma when there is only one column. */
export function guessDelimiter(text: string, candidates: readonly string[] = delimiters): string {
  const best = bestFit(text, candidates);
  return best?.delimiter ?? ",";
}

/** How well the text fits its best delimiter; undefined when none gives two columns. */
export function bestFit(text: string, candidates: readonly string[]): Fit | undefined {
  const sample = sampleOf(text);
  const fits = candidates.map((delimiter) => fitOf(sample, delimiter)).filter(({ columns }) => columns > 1);
  return fits.sort((a, b) => Math.round(b.evenness * 10) - Math.round(a.evenness * 10))[0];
}

// Whole lines only, unless the first line is longer than the sample.
function sampleOf(text: string): string {
  if (text.length <= sampleLength) return text;
  const end = text.lastIndexOf("\n", sampleLength);
  return text.slice(0, end > 0 ? end : sampleLength);
}

function fitOf(sample: string, delimiter: string): Fit {
  const counts: number[] = [];
  splitRecords(sample, delimiter, (fields) => counts.push(fields.length) < sampleRecords);
  const frequency = new Map<number, number>();
  for (const count of counts) frequency.set(count, (frequency.get(count) ?? 0) + 1);
  const [columns, records] = [...frequency].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [1, 0];
  return { delimiter, columns, evenness: counts.length === 0 ? 0 : records / counts.length };
}
