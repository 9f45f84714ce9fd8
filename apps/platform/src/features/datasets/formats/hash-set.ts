/** A set of hashes in 16 bytes each: memory for 500,000 rows is 16 MiB. Two hashes meet with a chance below 2^-90. */
export interface HashSet {
  readonly size: number;
  /** Whether the hash was not there before. Looks at its first 16 bytes. */
  add(hash: Buffer): boolean;
  has(hash: Buffer): boolean;
}

export function createHashSet(): HashSet {
  let slots = new BigUint64Array(2 * 1024);
  let size = 0;

  // Open addressing with linear probing. A slot of two zeros is free: a hash of 128 zero bits does not occur.
  const find = (table: BigUint64Array, high: bigint, low: bigint): number => {
    const count = table.length / 2;
    let slot = Number(low & BigInt(count - 1));
    while (!isFree(table, slot) && (table[slot * 2] !== high || table[slot * 2 + 1] !== low)) slot = (slot + 1) % count;
    return slot;
  };
  const grow = (): void => {
    const larger = new BigUint64Array(slots.length * 2);
    for (let slot = 0; slot < slots.length / 2; slot++) {
      if (isFree(slots, slot)) continue;
      const [high, low] = [slots[slot * 2] as bigint, slots[slot * 2 + 1] as bigint];
      const free = find(larger, high, low);
      larger[free * 2] = high;
      larger[free * 2 + 1] = low;
    }
    slots = larger;
  };

  return {
    get size() {
      return size;
    },
    add(hash) {
      const [high, low] = [hash.readBigUInt64LE(0), hash.readBigUInt64LE(8)];
      const slot = find(slots, high, low);
      if (!isFree(slots, slot)) return false;
      slots[slot * 2] = high;
      slots[slot * 2 + 1] = low;
      if (++size * 4 > slots.length) grow();
      return true;
    },
    has(hash) {
      return !isFree(slots, find(slots, hash.readBigUInt64LE(0), hash.readBigUInt64LE(8)));
    },
  };
}

const isFree = (table: BigUint64Array, slot: number): boolean => table[slot * 2] === 0n && table[slot * 2 + 1] === 0n;
