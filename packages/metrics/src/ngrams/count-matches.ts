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
  let nodes = 0;
  for (const { length } of references) nodes += length * orders;
  trie.reset(nodes);
  const counts = countReferences(references, nodes, orders);
  const matches: number[] = [];
  for (let order = 1; order <= orders; order++) matches.push(0);
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
export function countNgrams(length: number, orders: number): readonly number[] {
  const counts: number[] = [];
  for (let order = 1; order <= orders; order++) counts.push(Math.max(0, length - order + 1));
  return counts;
}

/** For each node of the trie the greatest count of its n-gram in any one reference. */
function countReferences(references: readonly Int32Array[], nodes: number, orders: number): Int32Array {
  const counters = nodes < kept.most.length ? kept : createCounters(nodes + 1);
  counters.most.fill(0, 0, nodes + 1);
  counters.reference.fill(0, 0, nodes + 1);
  references.forEach((reference, index) => countReference(reference, orders, { ...counters, index: index + 1 }));
  return counters.most;
}

interface Counters {
  readonly most: Int32Array;
  readonly count: Int32Array;
  /** Which reference, from 1 up, `count` is of. */
  readonly reference: Int32Array;
}

function countReference(
  symbols: Int32Array,
  orders: number,
  { most, count, reference, index }: Counters & { readonly index: number },
): void {
  for (let start = 0; start < symbols.length; start++) {
    let node = 0;
    const end = Math.min(symbols.length, start + orders);
    for (let at = start; at < end; at++) {
      node = trie.add(node, symbols[at] as number);
      const counted = reference[node] === index ? (count[node] as number) + 1 : 1;
      count[node] = counted;
      reference[node] = index;
      if (counted > (most[node] as number)) most[node] = counted;
    }
  }
}

const createCounters = (nodes: number): Counters => ({
  most: new Int32Array(nodes),
  count: new Int32Array(nodes),
  reference: new Int32Array(nodes),
});

// Calls never overlap, so that all share one table and counters: making them takes longer than counting a sentence.
const trie = new SymbolTrie();
const kept = createCounters(2 ** 16);
