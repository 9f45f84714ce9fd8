import { expect, test } from "vitest";
import type { SlurmJob } from "./read-slurm-job.ts";
import { toClusterStatus } from "./to-cluster-status.ts";

const job = (states: readonly string[], more: Partial<SlurmJob> = {}): SlurmJob => ({
  id: "1",
  comment: "",
  states,
  reason: "",
  reasonDetail: "",
  nodes: ["n1"],
  gpus: [],
  exitCode: 0,
  signal: null,
  restarts: 0,
  ...more,
});

test.each([
  ["PENDING", "queued", null],
  ["REQUEUED", "queued", null],
  ["REQUEUE_FED", "queued", null],
  ["REQUEUE_HOLD", "queued", null],
  ["SPECIAL_EXIT", "queued", null],
  ["RESV_DEL_HOLD", "queued", null],
  ["EXPEDITING", "queued", null],
  ["CONFIGURING", "starting", null],
  ["POWER_UP_NODE", "starting", null],
  ["RUNNING", "running", null],
  ["RESIZING", "running", null],
  ["SIGNALING", "running", null],
  ["SUSPENDED", "running", null],
  ["STOPPED", "running", null],
  ["COMPLETING", "running", null],
  ["STAGE_OUT", "running", null],
  ["UPDATE_DB", "running", null],
  ["COMPLETED", "succeeded", null],
  ["FAILED", "failed", null],
  ["CANCELLED", "stopped", null],
  ["TIMEOUT", "failed", "ended_by_cluster"],
  ["DEADLINE", "failed", "ended_by_cluster"],
  ["PREEMPTED", "failed", "ended_by_cluster"],
  ["OUT_OF_MEMORY", "failed", "host_out_of_memory"],
  ["BOOT_FAIL", "failed", "node_lost"],
  ["LAUNCH_FAILED", "failed", "node_lost"],
  ["RECONFIG_FAIL", "failed", "node_lost"],
  ["NODE_FAIL", "lost", "node_lost"],
  ["REVOKED", "lost", "node_lost"],
  ["WHAT_IS_THIS", "unknown", null],
] as const)("%s is %s", (state, expected, cause) => {
  const status = toClusterStatus(job([state]));
  expect([status.state, status.cause]).toEqual([expected, cause]);
  expect(status.reason === null).toBe(["RUNNING", "COMPLETED"].includes(state));
});

test("a job that is ending still runs, unless its machine is lost", () => {
  expect(toClusterStatus(job(["CANCELLED", "COMPLETING"])).state).toBe("running");
  expect(toClusterStatus(job(["NODE_FAIL", "COMPLETING"])).state).toBe("lost");
});

test("a job in the queue again is lost, and so is one whose script was begun again", () => {
  expect(toClusterStatus(job(["PENDING"], { restarts: 1 })).state).toBe("lost");
  expect(toClusterStatus(job(["FAILED"], { exitCode: 76 })).state).toBe("lost");
});

test("status and signal are told once it has ended", () => {
  expect(toClusterStatus(job(["FAILED"], { exitCode: 5 }))).toMatchObject({ exitCode: 5, signal: null });
  expect(toClusterStatus(job(["FAILED"], { exitCode: 0, signal: 9 }))).toMatchObject({ exitCode: null, signal: 9 });
  expect(toClusterStatus(job(["RUNNING"]))).toMatchObject({ exitCode: null, signal: null });
  expect(toClusterStatus(job(["FAILED"], { exitCode: 71 }))).toMatchObject({ cause: "file_not_found" });
});

test.each([
  ["Priority", /higher priority go first.*Priority/],
  ["QOSMaxGRESPerUser", /limit of its account/],
  ["ReqNodeNotAvail, UnavailableNodes:n1", /not available now/],
  ["SomethingNew", /It waits\. Slurm: SomethingNew/],
  ["", /It waits to be scheduled/],
])("what %s means is told in plain words", (reason, expected) => {
  expect(toClusterStatus(job(["PENDING"], { reason })).reason).toMatch(expected);
});
