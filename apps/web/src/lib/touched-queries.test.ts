import type { ChangeEvent } from "@attune/contracts/rest/events.ts";
import { expect, test } from "vitest";
import { isFollowed, isTouched } from "./touched-queries.ts";

const id = "019a0000-0000-7000-8000-000000000001";
const other = "019a0000-0000-7000-8000-000000000002";
const event: ChangeEvent = {
  id: "1",
  type: "dataset.changed",
  resource_kind: "dataset",
  resource_id: id,
  data: {},
  created_at: "2026-01-01T00:00:00.000Z",
};

test.each([
  [["datasets", "t", "list", ""], true],
  [["datasets", "t", "trash", ""], true],
  [["datasets", "t", id], true],
  [["datasets", "t", id, "versions"], true],
  [["datasets", "t", other], false],
  [["datasets", "t", other, "version", 3], false],
  [["acls", "t", "dataset", id], true],
  [["acls", "t", "dataset", other], false],
  [["acls", "t", "model", id], false],
  [["models", "t", undefined, ""], false],
  // A version of a dataset never changes.
  [["rows", "t", id, 1, 0], false],
  [["users", "t", ""], false],
])("a change of a dataset touches %j: %s", (key, expected) => {
  expect(isTouched(key, event)).toBe(expected);
});

test("a change of a job touches the lists and the job, in either scope", () => {
  const ofJob = { ...event, type: "job.changed", resource_kind: "job" };
  const keys = [
    ["jobs", "t", "tenant", "list", undefined],
    ["jobs", "t", "tenant", id, "items"],
    ["jobs", "t", "tenant", other],
    ["datasets", "t", "list", ""],
  ];
  expect(keys.map((key) => isTouched(key, ofJob))).toEqual([true, true, false, false]);
});

test("an event of a kind that this page does not know touches nothing", () => {
  expect(isTouched(["datasets", "t", "list"], { ...event, resource_kind: "constructor" })).toBe(false);
});

test("after changes were missed, only queries that events tell of are old", () => {
  expect([["datasets"], ["models", "t"], ["acls"], ["rows"], ["sign-in-options"]].map(isFollowed)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
