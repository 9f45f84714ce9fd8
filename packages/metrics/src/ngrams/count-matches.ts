import { SymbolTrie } from "./symbol-trie.ts";

/**
 * How many n-grams of the hypothesis are also in a reference, for each order from 1 to `orders`: each n-gram counts at most as
 * often as in the reference that has it most often ("clipped" counts, Papineni et al. 2002). A negative symbol matches nothing.
 * Time grows with the lengths of the texts.
 */
export function countMatches(
  hypothesis: Int32Array,
  references: readonly Int32Array[],
  orders: number,
): readonly number[] {
  const nodes = references.reduce((sum, { length }) => sum + length * orders, 0);
  trie.reset(nodes);
  const counts = countReferences(references, nodes, orders);
  const matches = Array.from({ length: orders }, () => 0);
  for (let start = 0; start < hypothesis.length; start++) {
    let node = 0;
    const end = Math.min(hypothesis.length, start + orders);
    for (let at = start; at < end; at++) {
      const symbol = hypothesis[at] as number;
      if (symbol < 0 || (node = trie.find(node, symbol)) === 0) break;
      if ((counts[node] as number) === 0) continue;
      counts[node] = (counts[node] as number) - 1;
      matches[at - start] = (matches[at - start] as number) + 1;
    }
  }
  return matches;
}

/** How many n-grams a sequence has for each order from 1 to `orders`. */
export const countNgrams = (length: number, orders: number): readonly number[] =>
  Array.from({ length: orders }, (_, index) => Math.max(0, length - index));

// Calls never overlap, so that all share one table.
const trie = new SymbolTrie();

/** For each node the greatest count of its n-gram in any one reference. */
function countReferences(references: readonly Int32Array[], nodes: number, orders: number): Int32Array {
  const most = new Int32Array(nodes + 1);
  if (references.length === 1) {
    addCounts(references[0] as Int32Array, orders, most);
    return most;
  }
  const counts = new Int32Array(nodes + 1);
  for (const reference of references) {
    const visited = addCounts(reference, orders, counts);
    for (const node of visited) {
      most[node] = Math.max(most[node] as number, counts[node] as number);
      counts[node] = 0;
    }
  }
  return most;
}

/** Adds one for each n-gram, and gives their nodes. */
function addCounts(symbols: Int32Array, orders: number, counts: Int32Array): Int32Array {
  const visited = new Int32Array(symbols.length * orders);
  let visits = 0;
  for (let start = 0; start < symbols.length; start++) {
    let node = 0;
    const end = Math.min(symbols.length, start + orders);
    for (let at = start; at < end; at++) {
      node = trie.add(node, symbols[at] as number);
      counts[node] = (counts[node] as number) + 1;
      visited[visits++] = node;
    }
  }
  return visited.subarray(0, visits);
}
