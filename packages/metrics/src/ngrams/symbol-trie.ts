/**
 * A trie over integers, for n-grams and dictionaries: nodes are numbers from 1 up, the root is 0. All edges lie in one open
 * hash table of typed arrays, which is several times as fast as maps of strings.
 */
export class SymbolTrie {
  #parents: Int32Array;
  #symbols: Int32Array;
  #children: Int32Array;
  #shift = 0;
  #mask = 0;
  #size = 0;

  constructor(nodes = 0) {
    this.#parents = this.#symbols = this.#children = new Int32Array(0);
    this.reset(nodes);
  }

  /** How many nodes there are beside the root. */
  get size(): number {
    return this.#size;
  }

  /** Forgets everything and makes room for at most `nodes` nodes. */
  reset(nodes: number): void {
    const bits = Math.max(6, 33 - Math.clz32(nodes));
    const slots = 2 ** bits;
    this.#size = 0;
    this.#mask = slots - 1;
    this.#shift = 32 - bits;
    // One long text must not keep its tables for ever, nor have every short text after it clear them.
    if (slots <= this.#children.length && this.#children.length <= keptSlots) this.#children.fill(0, 0, slots);
    else {
      this.#parents = new Int32Array(slots);
      this.#symbols = new Int32Array(slots);
      this.#children = new Int32Array(slots);
    }
  }

  /** The child of a node, or 0 when there is none. */
  find(parent: number, symbol: number): number {
    return this.#children[this.#slot(parent, symbol)] as number;
  }

  /** The child of a node, made when there was none. */
  add(parent: number, symbol: number): number {
    const slot = this.#slot(parent, symbol);
    const child = this.#children[slot] as number;
    if (child !== 0) return child;
    this.#parents[slot] = parent;
    this.#symbols[slot] = symbol;
    return (this.#children[slot] = ++this.#size);
  }

  #slot(parent: number, symbol: number): number {
    const parents = this.#parents;
    const symbols = this.#symbols;
    const children = this.#children;
    let slot = Math.imul(Math.imul(parent, 0x9e3779b1) ^ symbol, 0x85ebca6b) >>> this.#shift;
    while (children[slot] !== 0 && (parents[slot] !== parent || symbols[slot] !== symbol))
      slot = (slot + 1) & this.#mask;
    return slot;
  }
}

const keptSlots = 2 ** 18;
