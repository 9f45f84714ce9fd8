import { describe, expect, it } from "vitest";
import { createTurns } from "./take-turns.ts";

const { signal: never } = new AbortController();
const reason = new Error("enough");

/** Lets all that can happen by itself happen. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Which of so many have a turn, in the order in which they got it. */
function createLine(atOnce: number, count: number) {
  const take = createTurns(atOnce);
  const [got, left]: [number[], number[]] = [[], []];
  const gives = new Map<number, () => void>();
  const stops = Array.from({ length: count }, () => new AbortController());
  for (const [index, { signal }] of stops.entries()) {
    take(signal).then(
      (give) => {
        got.push(index);
        gives.set(index, give);
      },
      () => left.push(index),
    );
  }
  const leave = (index: number) => stops[index]?.abort(reason);
  return { take, got, left, give: (index: number) => gives.get(index)?.(), leave };
}

describe("turns", () => {
  it("are taken by so many at once, the others in their order", async () => {
    const { got, give } = createLine(2, 4);
    await settle();
    expect(got).toEqual([0, 1]);
    give(1);
    await settle();
    expect(got).toEqual([0, 1, 2]);
    give(0);
    give(2);
    await settle();
    expect(got).toEqual([0, 1, 2, 3]);
  });

  it("are not waited for by whoever leaves, and pass to the next one", async () => {
    const { got, left, give, leave } = createLine(1, 4);
    leave(1);
    await settle();
    expect([got, left]).toEqual([[0], [1]]);
    leave(3);
    give(0);
    await settle();
    expect([got, left]).toEqual([
      [0, 2],
      [1, 3],
    ]);
  });

  it.each([
    ["before", true],
    ["after", false],
  ])("are neither lost nor doubled when one leaves just %s it is handed one", async (_when, isBefore) => {
    const { take, got, left, give, leave } = createLine(1, 3);
    await settle();
    if (isBefore) leave(1);
    give(0);
    if (!isBefore) leave(1);
    await settle();
    expect([got, left]).toEqual([[0, 2], [1]]);
    let isTaken = false;
    const next = take(never).then(() => (isTaken = true));
    await settle();
    expect(isTaken).toBe(false);
    give(2);
    await next;
  });

  it("are given back by the last one that leaves when it is handed one", async () => {
    const { take, left, give, leave } = createLine(1, 2);
    await settle();
    give(0);
    leave(1);
    await settle();
    expect(left).toEqual([1]);
    await take(never);
  });

  it("are not given to one whose signal was there before", async () => {
    const take = createTurns(1);
    await expect(take(AbortSignal.abort(reason))).rejects.toBe(reason);
    await take(never);
  });
});
