import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countUnionHits } from "../rouge/union-lcs.ts";
import { editDistance } from "./edit-distance.ts";
import { lcsLength } from "./lcs-length.ts";

const symbols = fc.array(fc.nat(4), { maxLength: 90 }).map((values) => Int32Array.from(values));
const runs = { numRuns: 300 };

describe("bit-parallel alignment", () => {
  it("finds the length of the longest common subsequence", () => {
    const property = fc.property(symbols, symbols, (one, other) => {
      expect(lcsLength(one, other)).toBe(lcsTable(one, other).at(-1)?.at(-1));
    });
    fc.assert(property, runs);
  });

  it("finds the edit distance", () => {
    const property = fc.property(symbols, symbols, (one, other) => {
      expect(editDistance(one, other)).toBe(editTable(one, other));
    });
    fc.assert(property, runs);
  });

  it("takes the same of several longest common subsequences as the walk through the whole table", () => {
    const sentences = fc.array(symbols, { maxLength: 3 });
    const property = fc.property(sentences, sentences, (references, predictions) => {
      expect(countUnionHits(references, predictions)).toBe(countHitsByTable(references, predictions));
    });
    fc.assert(property, runs);
  });
});

function lcsTable(rows: Int32Array, columns: Int32Array): number[][] {
  const table = [Array.from({ length: columns.length + 1 }, () => 0)];
  for (const [i, row] of rows.entries()) {
    const above = table[i] as number[];
    const next = [0];
    for (const [j, column] of columns.entries()) {
      next.push(row === column ? (above[j] as number) + 1 : Math.max(above[j + 1] as number, next[j] as number));
    }
    table.push(next);
  }
  return table;
}

function editTable(rows: Int32Array, columns: Int32Array): number {
  let above = Array.from({ length: columns.length + 1 }, (_, at) => at);
  for (const [i, row] of rows.entries()) {
    const next = [i + 1];
    for (const [j, column] of columns.entries()) {
      const replaced = (above[j] as number) + (row === column ? 0 : 1);
      next.push(Math.min(replaced, (above[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    above = next;
  }
  return above.at(-1) as number;
}

function countHitsByTable(references: readonly Int32Array[], predictions: readonly Int32Array[]): number {
  const count = (sentences: readonly Int32Array[], symbol: number): number =>
    sentences.reduce((sum, sentence) => sum + sentence.filter((other) => other === symbol).length, 0);
  const hits = new Map<number, number>();
  for (const reference of references) {
    const union = new Set(predictions.flatMap((prediction) => walkBack(reference, prediction)));
    for (const at of union) hits.set(reference[at] as number, (hits.get(reference[at] as number) ?? 0) + 1);
  }
  return [...hits].reduce(
    (sum, [symbol, n]) => sum + Math.min(n, count(predictions, symbol), count(references, symbol)),
    0,
  );
}

function walkBack(reference: Int32Array, prediction: Int32Array): number[] {
  const table = lcsTable(reference, prediction);
  const at = (i: number, j: number): number => table[i]?.[j] as number;
  const common: number[] = [];
  let [i, j] = [reference.length, prediction.length];
  while (i > 0 && j > 0) {
    if (reference[i - 1] === prediction[j - 1]) {
      common.push(--i);
      j--;
    } else if (at(i, j - 1) > at(i - 1, j)) j--;
    else i--;
  }
  return common;
}
