/** What happened to one row between two versions. Row numbers count from 1. */
export type RowChange =
  | { readonly kind: "added"; readonly row: number }
  | { readonly kind: "removed"; readonly row: number }
  | { readonly kind: "changed"; readonly fromRow: number; readonly row: number }
  | { readonly kind: "moved"; readonly fromRow: number; readonly row: number };

export interface RowDiff {
  readonly unchanged: number;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly moved: number;
  /** The changes, in the order of the new version, removed rows before what follows them. */
  changes(): Generator<RowChange>;
}

/**
 * Compares two versions by the hashes of their rows. Rows of the same content are the same row, wherever they stand; of those,
 * the longest run that kept its order is "unchanged" and the others are "moved". Rows between them that found no partner are
 * "changed" where both versions have one at that place, else "added" or "removed". Time n·log n, memory 100 bytes a row.
 */
export function diffRows(before: readonly string[], after: readonly string[]): RowDiff {
  const partner = matchByContent(before, after);
  const anchors = longestRun(partner);
  const counts = { unchanged: anchors.length, added: 0, removed: 0, changed: 0, moved: 0 };
  for (const { kind } of listChanges(partner, anchors, after.length)) counts[kind]++;
  return { ...counts, changes: () => listChanges(partner, anchors, after.length) };
}

/** For each row before, the index of its partner after, or -1: the k-th occurrence of a content meets the k-th. */
function matchByContent(before: readonly string[], after: readonly string[]): Int32Array {
  const next = new Int32Array(after.length).fill(-1);
  const first = new Map<string, number>();
  for (let index = after.length - 1; index >= 0; index--) {
    const hash = after[index] as string;
    next[index] = first.get(hash) ?? -1;
    first.set(hash, index);
  }
  return Int32Array.from(before, (hash) => {
    const index = first.get(hash) ?? -1;
    if (index >= 0) first.set(hash, next[index] as number);
    return index;
  });
}

/** The indexes of the longest rising run in `partner` (patience sorting), those of -1 left out. */
function longestRun(partner: Int32Array): number[] {
  const tails: number[] = [];
  const previous = new Int32Array(partner.length).fill(-1);
  for (const [index, value] of partner.entries()) {
    if (value < 0) continue;
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((partner[tails[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? (tails[low - 1] as number) : -1;
    tails[low] = index;
  }
  const run: number[] = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index] as number) run.push(index);
  return run.reverse();
}

function* listChanges(partner: Int32Array, anchors: readonly number[], afterLength: number): Generator<RowChange> {
  const origin = new Int32Array(afterLength).fill(-1);
  for (const [from, to] of partner.entries()) if (to >= 0) origin[to] = from;
  let [from, to] = [0, 0];
  for (const anchor of [...anchors, partner.length]) {
    const end = anchor < partner.length ? (partner[anchor] as number) : afterLength;
    yield* changesBetween({ from, fromEnd: anchor, to, toEnd: end }, partner, origin);
    [from, to] = [anchor + 1, end + 1];
  }
}

interface Gap {
  readonly from: number;
  readonly fromEnd: number;
  readonly to: number;
  readonly toEnd: number;
}

/** The changes between two anchors. */
function* changesBetween(
  { from, fromEnd, to, toEnd }: Gap,
  partner: Int32Array,
  origin: Int32Array,
): Generator<RowChange> {
  const gone: number[] = [];
  for (let index = from; index < fromEnd; index++) if ((partner[index] as number) < 0) gone.push(index);
  let used = 0;
  for (let index = to; index < toEnd; index++) {
    const source = origin[index] as number;
    if (source >= 0) yield { kind: "moved", fromRow: source + 1, row: index + 1 };
    else if (used < gone.length) yield { kind: "changed", fromRow: (gone[used++] as number) + 1, row: index + 1 };
    else yield { kind: "added", row: index + 1 };
  }
  for (const index of gone.slice(used)) yield { kind: "removed", row: index + 1 };
}
