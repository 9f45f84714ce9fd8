import { requireAlignable } from "../alignment/alignment-limit.ts";
import { advanceColumn, firstColumn, type SymbolBits, toSymbolBits } from "../alignment/lcs-columns.ts";

/**
 * The hits of rougeLsum: for each reference sentence the positions that lie on a longest common subsequence with any sentence
 * of the prediction, where a token counts at most as often as it occurs on either side (rouge_score 0.1.2 after
 * ROUGE-1.5.5). Of several longest subsequences that of rouge_score's walk back is taken. Time grows with the product of the
 * lengths, divided by 32. Throws `too_long`, also when the table of one pair of sentences would not fit into memory.
 */
export function countUnionHits(references: readonly Int32Array[], predictions: readonly Int32Array[]): number {
  requireAlignableSentences(references, predictions);
  const left = { reference: countSymbols(references), prediction: countSymbols(predictions) };
  let hits = 0;
  for (const reference of references) {
    const isCommon = findUnion(reference, predictions);
    for (let at = 0; at < reference.length; at++) {
      const symbol = reference[at] as number;
      if (isCommon[at] === 0 || !left.reference.get(symbol) || !left.prediction.get(symbol)) continue;
      hits++;
      left.reference.set(symbol, (left.reference.get(symbol) as number) - 1);
      left.prediction.set(symbol, (left.prediction.get(symbol) as number) - 1);
    }
  }
  return hits;
}

/** Tables of one pair are kept whole: at most 2^25 words, that is 128 MiB. */
const mostKeptWords = 2 ** 25;

function requireAlignableSentences(references: readonly Int32Array[], predictions: readonly Int32Array[]): void {
  let [words, longest] = [0, 0];
  for (const { length } of references) {
    words += Math.ceil(length / 32);
    longest = Math.max(longest, Math.ceil(length / 32));
  }
  let [columns, longestSentence] = [0, 0];
  for (const { length } of predictions) {
    columns += length;
    longestSentence = Math.max(longestSentence, length);
  }
  requireAlignable(words * columns);
  if (longest * longestSentence > mostKeptWords) requireAlignable(Number.POSITIVE_INFINITY);
}

function countSymbols(sentences: readonly Int32Array[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const sentence of sentences) for (const symbol of sentence) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  return counts;
}

/** 1 for each position of the reference that lies on a common subsequence with any of the sentences. */
function findUnion(reference: Int32Array, sentences: readonly Int32Array[]): Uint8Array {
  const isCommon = new Uint8Array(reference.length);
  const bits = toSymbolBits(reference);
  for (const sentence of sentences) {
    if (sentence.some((symbol) => bits.has(symbol))) markCommon(reference, sentence, { bits, isCommon });
  }
  return isCommon;
}

function markCommon(
  reference: Int32Array,
  sentence: Int32Array,
  { bits, isCommon }: { readonly bits: SymbolBits; readonly isCommon: Uint8Array },
): void {
  let [row, column] = [reference.length, sentence.length];
  while (row > 0 && column > 0 && reference[row - 1] === sentence[column - 1]) {
    isCommon[--row] = 1;
    column--;
  }
  const columns = fillColumns(sentence.subarray(0, column), bits, reference.length);
  while (row > 0 && column > 0) {
    if (reference[row - 1] === sentence[column - 1]) {
      isCommon[--row] = 1;
      column--;
    } else if (growsAt(columns[column - 1] as Int32Array, row - 1)) column--;
    else row--;
  }
}

/** The table's columns for each symbol of the sentence; a symbol that the reference lacks has that of the symbol before. */
function fillColumns(sentence: Int32Array, bits: SymbolBits, rows: number): Int32Array[] {
  let column = firstColumn(rows);
  return Array.from(sentence, (symbol) => {
    const pairs = bits.get(symbol);
    if (pairs === undefined) return column;
    column = column.slice();
    advanceColumn(column, pairs);
    return column;
  });
}

/** Whether the row has a longer common subsequence than the one above: then that of the column before is longer, too. */
const growsAt = (column: Int32Array, row: number): boolean => (((column[row >>> 5] as number) >>> row) & 1) === 0;
