import { SymbolTrie } from "../ngrams/symbol-trie.ts";

/** The words of a dictionary in the form of jieba's `dict.txt`, ready for looking up all that start at one place. */
export interface JiebaDictionary {
  readonly trie: SymbolTrie;
  /** For each node of the trie the logarithm of its word's share of all occurrences; NaN where no word ends. */
  readonly logShares: Float64Array;
  /** The same for a character that is no word. */
  readonly unknownLogShare: number;
}

/** Reads lines of "word frequency tag". Time and memory grow with the number of characters. */
export function parseJiebaDictionary(text: string): JiebaDictionary {
  const lines = text.split("\n").filter((line) => line.indexOf(" ") > 0);
  const trie = new SymbolTrie(lines.reduce((sum, line) => sum + line.indexOf(" "), 0));
  const frequencies = new Map<number, number>();
  let total = 0;
  for (const line of lines) {
    const end = line.indexOf(" ");
    let node = 0;
    for (let at = 0; at < end; at++) node = trie.add(node, line.charCodeAt(at));
    const frequency = Number.parseInt(line.slice(end + 1), 10);
    frequencies.set(node, frequency);
    total += frequency;
  }
  const logTotal = Math.log(total);
  const logShares = new Float64Array(trie.size + 1).fill(Number.NaN);
  // As in jieba, a frequency of 0 makes no word.
  for (const [node, frequency] of frequencies) if (frequency > 0) logShares[node] = Math.log(frequency) - logTotal;
  return { trie, logShares, unknownLogShare: Math.log(1) - logTotal };
}
