import { expect, test } from "vitest";
import { readRayPool } from "./read-ray-pool.ts";
import { toRayStatus } from "./to-ray-status.ts";

test.each([
  [{ status: "PENDING" }, "queued", null],
  [{ status: "RUNNING", driver_node_id: "abc" }, "running", null],
  [{ status: "SUCCEEDED", driver_exit_code: 0 }, "succeeded", null],
  [{ status: "STOPPED" }, "stopped", null],
  [{ status: "FAILED", driver_exit_code: 5 }, "failed", null],
  [{ status: "FAILED", driver_exit_code: 71 }, "failed", "file_not_found"],
  [
    { status: "FAILED", driver_exit_code: 127, message: "bash: /x: No such file or directory" },
    "failed",
    "file_not_found",
  ],
  [{ status: "FAILED", message: "Unexpected error occurred: The actor died. ActorDiedError" }, "lost", "node_lost"],
  [{ status: "FAILED", message: "runtime_env setup failed" }, "failed", null],
  [{ status: "NEW" }, "unknown", null],
  [{}, "unknown", null],
])("%j is %s", (job, state, cause) => {
  expect(toRayStatus(job)).toMatchObject({ state, cause });
});

test("Python's negative status is a signal", () => {
  expect(toRayStatus({ status: "FAILED", driver_exit_code: -9 })).toMatchObject({ exitCode: null, signal: 9 });
});

test("what the cluster has", () => {
  const node = (state: string) => ({ raylet: { state, resourcesTotal: { CPU: 2, GPU: 4 } } });
  expect(readRayPool({ data: { summary: [node("ALIVE"), node("DEAD"), null] } })).toMatchObject({
    nodesUp: 1,
    nodesTotal: 2,
    gpusTotal: 4,
    gpusFree: null,
  });
  expect(readRayPool("x")).toBeUndefined();
});
