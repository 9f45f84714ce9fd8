import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { until } from "@attune/testkit/processes.ts";
import { afterEach, expect, test } from "vitest";
import { endGroup, listFamily, type ProcessFamily } from "./end-group.ts";
import { createFamilyGuard } from "./guard-family.ts";
import { identifyProcess, isRunning } from "./process-identity.ts";
import { sweepOrphans } from "./sweep-orphans.ts";

const families: ProcessFamily[] = [];
afterEach(async () => {
  await Promise.all(families.splice(0).map((family) => endGroup(family, { graceMs: 0 })));
});

/** A shell that heeds no SIGTERM, with a child in its group and one that left it. */
const stubborn = "trap '' TERM; sleep 300 & setsid sleep 300 & while :; do sleep 300; done";

function startFamily(script: string, folder = "/none"): ProcessFamily {
  const runId = randomUUID();
  const env = { PATH: "/usr/bin:/bin", ATTUNE_RUN_ID: runId, ATTUNE_RUN_DIR: `${folder}/run` };
  const child: ChildProcess = spawn("/bin/sh", ["-c", script], { detached: true, stdio: "ignore", env });
  const family = { runId, leader: identifyProcess(child.pid ?? 0) };
  families.push(family);
  return family;
}
const hasMembers = (family: ProcessFamily, count: number) =>
  until(() => listFamily(family).length === count, 10_000, `${count} processes`);

test("the whole family ends, also what heeds no SIGTERM and what left the group", async () => {
  const family = startFamily(stubborn);
  await hasMembers(family, 4);
  expect(await endGroup(family, { graceMs: 100 })).toEqual([]);
  expect(listFamily(family)).toEqual([]);
});

test("members are found by their group when their leader is gone", async () => {
  const family = startFamily("sleep 300 & sleep 0.5");
  await until(() => family.leader !== undefined && !isRunning(family.leader), 10_000, "the leader is gone");
  expect(listFamily({ ...family, runId: "another" })).toHaveLength(1);
});

test("a later process of the same number is another one, and its group is not touched", async () => {
  const family = startFamily("exec sleep 300");
  const { leader } = family;
  if (leader === undefined) throw new Error("no leader");
  expect(isRunning(leader)).toBe(true);
  const earlier = { ...leader, mark: `${leader.pid}-1` };
  expect(isRunning(earlier)).toBe(false);
  expect(listFamily({ runId: "another", leader: earlier })).toEqual([]);
  expect(isRunning({ ...leader, bootId: "another" })).toBe(false);
});

test("a sweep ends what nothing knows of below its folder, and nothing else", async () => {
  const ours = startFamily(stubborn, "/ours");
  const known = startFamily("exec sleep 300", "/ours");
  const others = startFamily("exec sleep 300", "/ours-not");
  await Promise.all([hasMembers(ours, 4), hasMembers(known, 1), hasMembers(others, 1)]);
  const swept = await sweepOrphans({ root: "/ours", isKnown: (runId) => runId === known.runId });
  expect(swept).toEqual([ours.runId]);
  expect(listFamily(ours)).toEqual([]);
  expect(listFamily(known)).toHaveLength(1);
  expect(listFamily(others)).toHaveLength(1);
});

test("a guard ends what is left when its input ends, and not what was taken from it", async () => {
  const [bound, free] = [startFamily(stubborn), startFamily("exec sleep 300")];
  await Promise.all([hasMembers(bound, 4), hasMembers(free, 1)]);
  const guard = createFamilyGuard();
  guard.add(free.runId, free.leader?.pid ?? 0);
  guard.add(bound.runId, bound.leader?.pid ?? 0);
  guard.remove(free.runId);
  guard.close();
  await hasMembers(bound, 0);
  expect(listFamily(free)).toHaveLength(1);
});
