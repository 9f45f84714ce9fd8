import { expect, test } from "vitest";
import { createByteBudget } from "./byte-budget.ts";

test("shares grow until the budget is held, and what is released can be held again", () => {
  const budget = createByteBudget({ maxBytes: 100, freeBytes: 10 });
  const [first, second] = [budget.open(), budget.open()];

  expect(first.growTo(70)).toBe(true);
  expect(second.growTo(60)).toBe(false);
  expect(second.growTo(50)).toBe(true);
  expect(budget.heldBytes).toBe(100);
  first.release();
  first.release();
  expect(budget.heldBytes).toBe(40);
  expect(second.growTo(60)).toBe(true);
});

test("what is free is held however full the budget is", () => {
  const budget = createByteBudget({ maxBytes: 100, freeBytes: 10 });
  budget.open().growTo(110);

  expect(budget.open().growTo(10)).toBe(true);
  expect(budget.open().growTo(11)).toBe(false);
});

test("a share never shrinks before it is released", () => {
  const budget = createByteBudget({ maxBytes: 100, freeBytes: 0 });
  const share = budget.open();
  share.growTo(80);

  expect(share.growTo(20)).toBe(true);
  expect(budget.heldBytes).toBe(80);
});
