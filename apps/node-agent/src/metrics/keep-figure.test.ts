import { expect, test } from "vitest";
import { keepFigure } from "./keep-figure.ts";

test("a figure is measured in the background, kept for a minute, and once at a time", async () => {
  let nowMs = 0;
  const asked: ((value: number) => void)[] = [];
  const measure = () => new Promise<number>((resolve) => asked.push(resolve));
  const read = keepFigure(measure, () => nowMs);
  expect([read(), read(), asked.length]).toEqual([undefined, undefined, 1]);
  asked[0]?.(7);
  await expect.poll(read).toBe(7);
  expect(asked).toHaveLength(1);
  nowMs = 60_000;
  expect([read(), read(), asked.length]).toEqual([7, 7, 2]);
});

test("a figure that cannot be measured any more is not known", async () => {
  let nowMs = 0;
  let isBroken = false;
  const read = keepFigure(
    async () => {
      if (isBroken) throw new Error("gone");
      return 1;
    },
    () => nowMs,
  );
  read();
  await expect.poll(read).toBe(1);
  isBroken = true;
  nowMs = 60_000;
  read();
  await expect.poll(read).toBe(undefined);
});
