import { requireAlignable } from "./alignment-limit.ts";
import { trimCommonEnds } from "./trim-common-ends.ts";

/**
 * The Levenshtein distance of two sequences: the fewest insertions, deletions and replacements of one symbol that turn one
 * into the other. Bit-parallel (Myers 1999, in blocks of 32 as by Hyyrö 2003): time grows with the product of the lengths,
 * divided by 32; memory with their sum. Throws `too_long`.
 */
export function editDistance(one: Int32Array, other: Int32Array): number {
  const trimmed = trimCommonEnds(one, other);
  const [rows, columns] =
    trimmed.one.length <= trimmed.other.length ? [trimmed.one, trimmed.other] : [trimmed.other, trimmed.one];
  if (rows.length === 0) return columns.length;
  requireAlignable(Math.ceil(rows.length / 32) * columns.length);
  const numbers = new Map<number, number>();
  const numbered = columns.map((symbol) => {
    let number = numbers.get(symbol);
    if (number === undefined) numbers.set(symbol, (number = numbers.size));
    return number;
  });
  const steps = { up: new Uint8Array(columns.length).fill(1), down: new Uint8Array(columns.length) };
  let distance = rows.length;
  for (let start = 0; start < rows.length; start += 32) {
    const block = rows.subarray(start, start + 32);
    fillBlock(toBlockBits(block, numbers), numbered, { steps, lastRow: block.length - 1 });
  }
  for (let at = 0; at < columns.length; at++) distance += (steps.up[at] as number) - (steps.down[at] as number);
  return distance;
}

/** For each numbered symbol of the columns the rows of one block that hold it. */
function toBlockBits(block: Int32Array, numbers: ReadonlyMap<number, number>): Int32Array {
  const bits = new Int32Array(numbers.size);
  block.forEach((symbol, row) => {
    const number = numbers.get(symbol);
    if (number !== undefined) bits[number] = (bits[number] as number) | (1 << row);
  });
  return bits;
}

interface Block {
  /** For each column whether the distance grows (`up`) or falls (`down`) along the row above the block; then along its last. */
  readonly steps: { readonly up: Uint8Array; readonly down: Uint8Array };
  readonly lastRow: number;
}

/** Fills the table's 32 rows of one block. `plus` and `minus` are the rows where the distance grows or falls downwards. */
function fillBlock(bits: Int32Array, columns: Int32Array, { steps: { up, down }, lastRow }: Block): void {
  let plus = -1;
  let minus = 0;
  for (let at = 0; at < columns.length; at++) {
    const equal = bits[columns[at] as number] as number;
    const upAbove = up[at] as number;
    const downAbove = down[at] as number;
    const vertical = equal | minus;
    const entering = equal | downAbove;
    const horizontal = (((entering & plus) + plus) ^ plus) | entering;
    const grows = minus | ~(horizontal | plus);
    const falls = plus & horizontal;
    up[at] = (grows >>> lastRow) & 1;
    down[at] = (falls >>> lastRow) & 1;
    const growsBelow = (grows << 1) | upAbove;
    const fallsBelow = (falls << 1) | downAbove;
    plus = fallsBelow | ~(vertical | growsBelow);
    minus = growsBelow & vertical;
  }
}
