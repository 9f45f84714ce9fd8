import { bestFit } from "./guess-delimiter.ts";

/** A weak sign (0.2) when at least three records, most alike, are split by one of the delimiters; 0 otherwise. */
export function sniffDelimited(head: string | undefined, candidates: readonly string[]): number {
  if (head === undefined) return 0;
  const text = head.slice(0, 16_384);
  if (/^sep=.\r?\n/i.test(text)) return candidates.includes(text[4] ?? "") ? 0.5 : 0;
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  if (lines.length < 3 || /^\s*(?:[<{[]|%|#!|\/\*|---)/.test(text)) return 0;
  return looksLikeTable(text, lines.length, candidates) ? 0.2 : 0;
}

function looksLikeTable(text: string, lineCount: number, candidates: readonly string[]): boolean {
  const fit = bestFit(text, candidates);
  if (fit === undefined || fit.evenness < 0.9) return false;
  // Sentences have commas too; tables have short fields and more than one delimiter in a line.
  const averageLine = text.length / lineCount;
  const isTable = fit.columns > 2 || (fit.delimiter !== "," && fit.delimiter !== ";");
  return isTable && averageLine / fit.columns < 60;
}
