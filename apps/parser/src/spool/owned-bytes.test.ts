import { expect, test } from "vitest";
import { OwnedBytes } from "./owned-bytes.ts";

const make = () => Buffer.alloc(1 << 16, "x");

test("memory goes back when it is released and the last loan has ended, in either order", () => {
  for (const isReleasedFirst of [true, false]) {
    const bytes = make();
    const owned = new OwnedBytes(bytes);
    const loans = [owned.lend(), owned.lend()];
    if (isReleasedFirst) owned.release();
    for (const loan of loans) {
      expect(loan.bytes).toHaveLength(1 << 16);
      loan[Symbol.dispose]();
      loan[Symbol.dispose]();
    }
    if (!isReleasedFirst) owned.release();
    expect(bytes).toHaveLength(0);
  }
});

test("memory that was shared for good stays with those who have it", () => {
  const owned = new OwnedBytes(make());
  const shared = owned.share();
  owned.release();
  expect(shared).toHaveLength(1 << 16);
  expect(() => owned.share()).toThrow("disposed");
  expect(() => owned.lend()).toThrow("disposed");
});
