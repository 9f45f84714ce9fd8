import type { Gpu } from "./device-provider.ts";

type Candidate = Pick<Gpu, "index" | "memoryFreeMb">;

/**
 * Which of the free GPUs a request by count gets. Neighbours are wired to each other (pairs, fours, eights), so the smallest
 * aligned block that holds them is broken into, of such blocks the one with the least left over, and in it those with the
 * most free memory.
 * @returns indices in rising order, or undefined when there are too few.
 */
export function chooseGpus(free: readonly Candidate[], count: number): number[] | undefined {
  if (free.length < count) return undefined;
  const last = Math.max(0, ...free.map(({ index }) => index));
  for (let size = blockSizeFor(count); ; size *= 2) {
    const blocks = blocksOf(free, size).filter((block) => block.length >= count);
    const best = blocks.toSorted((a, b) => a.length - b.length || memoryOf(b, count) - memoryOf(a, count))[0];
    if (best !== undefined) return indicesOf(roomiest(best, count));
    // A block of everything holds all that is free, and that is enough.
    if (size > last) return indicesOf(roomiest(free, count));
  }
}

function blockSizeFor(count: number): number {
  let size = 1;
  while (size < count) size *= 2;
  // A single GPU is taken out of a pair that is broken already.
  return Math.max(2, size);
}

function blocksOf(free: readonly Candidate[], size: number): Candidate[][] {
  const blocks = Map.groupBy(free, ({ index }) => Math.floor(index / size));
  return [...blocks.entries()].toSorted(([a], [b]) => a - b).map(([, block]) => block);
}

const roomiest = (gpus: readonly Candidate[], count: number): Candidate[] =>
  gpus.toSorted((a, b) => (b.memoryFreeMb ?? 0) - (a.memoryFreeMb ?? 0) || a.index - b.index).slice(0, count);

const memoryOf = (gpus: readonly Candidate[], count: number): number =>
  roomiest(gpus, count).reduce((sum, { memoryFreeMb }) => sum + (memoryFreeMb ?? 0), 0);

const indicesOf = (gpus: readonly Candidate[]): number[] => gpus.map(({ index }) => index).toSorted((a, b) => a - b);
