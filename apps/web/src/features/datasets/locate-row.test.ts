import { expect, test } from "vitest";
import { locateRow, type RowChange } from "./locate-row.ts";

const change = (kind: RowChange["kind"], from: number | null, row: number | null): RowChange => ({
  kind,
  from_row: from,
  row,
  from_text: null,
  text: null,
});

test("a row that others were added to, removed from or moved around is found", () => {
  // Before: a b c d e. After: n a c D m e b, where b moved, d was changed, n and m were added.
  const changes = [change("added", null, 1), change("moved", 2, 7), change("changed", 4, 4), change("added", null, 5)];
  expect([1, 2, 3, 4, 5].map((row) => locateRow(changes, row))).toEqual([2, 7, 3, 4, 6]);
});

test("a removed row is nowhere, and those behind it move up", () => {
  const changes = [change("removed", 2, null)];
  expect([1, 2, 3].map((row) => locateRow(changes, row))).toEqual([1, undefined, 2]);
});
