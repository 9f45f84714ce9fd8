import { expect, test } from "vitest";
import { expandHosts, readSlurmJobs } from "./read-slurm-job.ts";
import { readSlurmPools } from "./read-slurm-pools.ts";
import { readSlurmErrors, slurmFaults } from "./read-slurm-errors.ts";

const number = (value: number) => ({ set: true, infinite: false, number: value });

test("a job in the form of v0.0.38", () => {
  const job = {
    job_id: 9,
    comment: "attune:x",
    job_state: "FAILED",
    state_reason: "None",
    state_description: "",
    nodes: "n[1-2]",
    gres_detail: ["gpu:a100:3(IDX:0,2-3)", "gpu:a100:3(IDX:0-2)"],
    exit_code: 36_608,
    restart_cnt: 1,
  };
  expect(readSlurmJobs({ jobs: [job] })).toEqual([
    {
      id: "9",
      comment: "attune:x",
      states: ["FAILED"],
      reason: "",
      reasonDetail: "",
      nodes: ["n1", "n2"],
      gpus: [0, 2, 3],
      exitCode: 143,
      signal: null,
      restarts: 1,
    },
  ]);
});

test("the same job in the form of v0.0.41 and newer", () => {
  const job = {
    job_id: 9,
    comment: "attune:x",
    job_state: ["CANCELLED", "COMPLETING"],
    state_reason: "None",
    nodes: "gpu01",
    gres_detail: ["gpu:2(IDX:0-1)"],
    exit_code: {
      status: ["SIGNALED"],
      return_code: { set: false, number: 0 },
      signal: { id: number(9), name: "KILL" },
    },
  };
  expect(readSlurmJobs({ jobs: [job] })[0]).toMatchObject({
    states: ["CANCELLED", "COMPLETING"],
    nodes: ["gpu01"],
    gpus: [0, 1],
    exitCode: null,
    signal: 9,
    restarts: 0,
  });
  const ended = { ...job, exit_code: { return_code: number(3), signal: { id: { set: false } } } };
  expect(readSlurmJobs({ jobs: [ended] })[0]).toMatchObject({ exitCode: 3, signal: null });
  const of39 = { ...job, exit_code: { return_code: 0, signal: { signal_id: 15, name: "SIGTERM" } } };
  expect(readSlurmJobs({ jobs: [of39] })[0]).toMatchObject({ exitCode: 0, signal: 15 });
});

test.each([undefined, null, "x", [], {}, { jobs: 3 }, { jobs: [null, "x", {}, { job_id: "9" }] }])(
  "%j has no jobs",
  (json) => {
    expect(readSlurmJobs(json)).toEqual([]);
  },
);

test("a job with fields of forms that nobody knows is read as far as it goes", () => {
  const [job] = readSlurmJobs({
    jobs: [{ job_id: number(4), job_state: 7, exit_code: "x", gres_detail: 1, nodes: null }],
  });
  expect(job).toMatchObject({ id: "4", states: [], exitCode: null, signal: null, nodes: [], gpus: [] });
});

test("names of machines", () => {
  expect(expandHosts("gpu[01-03,7],login")).toEqual(["gpu01", "gpu02", "gpu03", "gpu7", "login"]);
  expect(expandHosts("")).toEqual([]);
  expect(expandHosts("n[3-1]")).toEqual([]);
  expect(expandHosts("n[1-999999999]")).toHaveLength(4096);
});

test("what a partition has, in both forms", () => {
  const old = {
    name: "a",
    partitions: ["gpu"],
    state: "mixed",
    state_flags: [],
    gres: "gpu:2",
    gres_used: "gpu:1",
    cpus: 8,
    alloc_cpus: 3,
  };
  const fresh = {
    name: "b",
    partitions: ["gpu", "all"],
    state: ["IDLE"],
    gres: "gpu:a100:4(S:0-1),shard:8",
    gres_used: "gpu:a100:0(IDX:N/A)",
    cpus: 8,
    alloc_cpus: 0,
  };
  const out = { name: "c", partitions: ["gpu"], state: ["IDLE", "DRAIN"], gres: "gpu:9", cpus: 8 };
  expect(readSlurmPools({ nodes: [old, fresh, out, { ...old, state: "down" }, null] })).toEqual([
    { name: "all", nodesUp: 1, nodesTotal: 1, gpusTotal: 4, gpusFree: 4, cpusTotal: 8, cpusFree: 8 },
    { name: "gpu", nodesUp: 2, nodesTotal: 4, gpusTotal: 6, gpusFree: 5, cpusTotal: 16, cpusFree: 13 },
  ]);
  expect(readSlurmPools(undefined)).toEqual([]);
});

test("faults are told apart by number, under both names of it", () => {
  const [old, fresh, bare] = readSlurmErrors({
    errors: [
      { error_code: 1800, error: "Unable to contact slurm controller (connect failure)" },
      { error_number: 2017, description: "Unable to find JobId=9", error: "Invalid job id specified" },
      { error: "Authentication credential invalid" },
    ],
  });
  expect(old && slurmFaults.isUnreachable(old)).toBe(true);
  expect(fresh && slurmFaults.isUnknownJob(fresh)).toBe(true);
  expect(fresh?.text).toBe("Unable to find JobId=9: Invalid job id specified");
  expect(bare && slurmFaults.isDenied(bare)).toBe(true);
  expect(bare && slurmFaults.isUnreachable(bare)).toBe(false);
});
