import { describe, expect, it } from "vitest";
import { chooseGpus } from "./choose-gpus.ts";

const free = (...gpus: readonly (number | readonly [number, number | null])[]) =>
  gpus.map((gpu) => {
    const [index, memoryFreeMb] = typeof gpu === "number" ? [gpu, 80_000] : gpu;
    return { index, memoryFreeMb };
  });

describe("chooseGpus", () => {
  it.each([
    { what: "the half of a pair that is broken already", gpus: free(0, 1, 3), count: 1, chosen: [3] },
    { what: "a whole pair, not two halves", gpus: free(1, 2, 3, 4), count: 2, chosen: [2, 3] },
    { what: "the smaller rest of the machine", gpus: free(0, 1, 2, 3, 5, 6, 7), count: 3, chosen: [5, 6, 7] },
    { what: "what there is, when no block holds it", gpus: free(1, 2, 5), count: 2, chosen: [1, 2] },
    { what: "everything", gpus: free(0, 1, 2, 3), count: 4, chosen: [0, 1, 2, 3] },
    { what: "the one with the most free memory", gpus: free([0, 10], [1, 20]), count: 1, chosen: [1] },
    {
      what: "of two pairs the one with more",
      gpus: free([0, 10], [1, 90], [2, 60], [3, 60]),
      count: 2,
      chosen: [2, 3],
    },
    { what: "one of unknown memory last", gpus: free([0, null], [1, 5]), count: 1, chosen: [1] },
    { what: "more than a power of two", gpus: free(0, 1, 2, 3, 4, 5), count: 5, chosen: [0, 1, 2, 3, 4] },
    { what: "none for none", gpus: free(), count: 0, chosen: [] },
    { what: "nothing when there are too few", gpus: free(0), count: 2, chosen: undefined },
  ])("takes $what", ({ gpus, count, chosen }) => {
    expect(chooseGpus(gpus, count)).toEqual(chosen);
  });
});
