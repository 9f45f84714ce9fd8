import { expect, test } from "vitest";
import { createCheck } from "./check-once.ts";

test("what hangs is told as such, and is not begun a second time", async () => {
  let begun = 0;
  let free = (_value: string): void => undefined;
  const check = createCheck(() => {
    begun++;
    return new Promise<string>((resolve) => (free = resolve));
  }, 20);
  const [first, second] = await Promise.all([check(), check()]);
  expect(first).toEqual({ runningSince: expect.any(Date) });
  expect(second).toEqual(first);
  expect(await check()).toEqual(first);
  expect(begun).toBe(1);
  free("well");
  await expect.poll(() => begun).toBe(1);
  const next = check();
  await expect.poll(() => begun).toBe(2);
  free("well");
  expect(await next).toEqual({ value: "well" });
});

test("what fails is told with its error, and is tried anew", async () => {
  let isBroken = true;
  const fault = new Error("broken");
  const check = createCheck(async () => {
    if (isBroken) throw fault;
    return 1;
  }, 60_000);
  expect(await check()).toEqual({ error: fault });
  isBroken = false;
  expect(await check()).toEqual({ value: 1 });
});
