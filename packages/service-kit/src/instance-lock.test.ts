import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findLockPid, LockedError, takeLock } from "./instance-lock.ts";

let folder = "";
let path = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "instance-lock-"));
  path = join(folder, "attune.lock");
});

afterEach(() => rmSync(folder, { recursive: true }));

test("a lock is one process's until it is released", async () => {
  const lock = await takeLock(path);
  expect(findLockPid(path)).toBe(process.pid);
  await expect(takeLock(path)).rejects.toThrow(new LockedError(path, process.pid));
  lock.release();
  expect(findLockPid(path)).toBeUndefined();
  (await takeLock(path)).release();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ["a process that is gone", "999999999-1"],
  ["a process whose number is another's by now", `${process.pid}-1`],
  ["nobody", ""],
])("of many that find the lock of %s, one takes it over", async (_, holder) => {
  if (process.platform !== "linux" && holder.startsWith(String(process.pid))) return;
  writeFileSync(path, holder);
  writeFileSync(`${path}.takeover`, "999999999-1");
  expect(findLockPid(path)).toBeUndefined();

  const results = await Promise.allSettled(Array.from({ length: 8 }, () => takeLock(path)));

  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(["attune.lock"]);
});
