import fc from "fast-check";
import { expect, test } from "vitest";
import { diffRows } from "./diff-rows.ts";

const version = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f"), { maxLength: 12 });

test("the changes turn one version into the other, and every row is in exactly one of them", () => {
  fc.assert(
    fc.property(version, version, (before, after) => {
      const diff = diffRows(before, after);
      const changes = [...diff.changes()];
      const touchedBefore = changes.flatMap((change) =>
        "fromRow" in change ? [change.fromRow] : change.kind === "removed" ? [change.row] : [],
      );
      const touchedAfter = changes.flatMap((change) => (change.kind === "removed" ? [] : [change.row]));
      const keptBefore = before.filter((_row, index) => !touchedBefore.includes(index + 1));
      const keptAfter = after.filter((_row, index) => !touchedAfter.includes(index + 1));

      expect(keptBefore).toEqual(keptAfter);
      expect(diff.unchanged).toBe(keptAfter.length);
      expect(new Set(touchedBefore).size).toBe(touchedBefore.length);
      expect(new Set(touchedAfter).size).toBe(touchedAfter.length);
      expect(diff.unchanged + diff.moved + diff.changed + diff.added).toBe(after.length);
      expect(diff.unchanged + diff.moved + diff.changed + diff.removed).toBe(before.length);
      const moved = changes.filter((change) => change.kind === "moved");
      expect(moved.map(({ row }) => after[row - 1])).toEqual(moved.map(({ fromRow }) => before[fromRow - 1]));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ["an edit", "abc", "axc", [{ kind: "changed", fromRow: 2, row: 2 }]],
  ["an insertion", "abc", "abxc", [{ kind: "added", row: 3 }]],
  ["a deletion", "abc", "ac", [{ kind: "removed", row: 2 }]],
  ["a move", "abcd", "bcda", [{ kind: "moved", fromRow: 1, row: 4 }]],
  ["nothing", "aab", "aab", []],
])("%s", (...[, before, after, changes]) => {
  expect([...diffRows(before.split(""), after.split("")).changes()]).toEqual(changes);
});
