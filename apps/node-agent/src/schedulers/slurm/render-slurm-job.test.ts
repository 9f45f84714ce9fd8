import { expect, test } from "vitest";
import type { ClusterJob } from "../scheduler.ts";
import { readSlurmApi } from "./read-slurm-api.ts";
import { renderSlurmJob } from "./render-slurm-job.ts";

const text = { type: "string" };
const whole = { type: "integer" };
const list = { type: "array", items: text };
const optional = { type: "object", properties: { set: { type: "boolean" }, number: whole } };

/** The parts of an OpenAPI document of slurmrestd that matter here, in the words of one version. */
function document(version: string, job: object, { submit = {}, slash = "" } = {}) {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${version}_${name}` });
  const body = { content: { "application/json": { schema: ref("submit") } } };
  return {
    paths: {
      [`/slurm/${version}/job/submit`]: { post: { requestBody: body } },
      [`/slurm/${version}/jobs${slash}`]: {},
    },
    components: {
      schemas: {
        [`${version}_submit`]: { type: "object", properties: { job: ref("job"), ...submit } },
        [`${version}_job`]: { type: "object", properties: job },
        [`${version}_number`]: optional,
      },
    },
  };
}

const common = { name: text, comment: text, partition: text, current_working_directory: text, standard_output: text };
const old = document("v0.0.38", {
  ...common,
  open_mode: text,
  requeue: { type: "boolean" },
  tasks: whole,
  cpus_per_task: whole,
  memory_per_node: whole,
  time_limit: whole,
  gres: text,
  environment: { type: "object" },
});
const fresh = document(
  "v0.0.41",
  {
    ...common,
    open_mode: list,
    requeue: { type: "boolean" },
    tasks: whole,
    cpus_per_task: whole,
    memory_per_node: { $ref: "#/components/schemas/v0.0.41_number" },
    time_limit: optional,
    tres_per_node: text,
    kill_warning_signal: text,
    kill_warning_flags: list,
    kill_warning_delay: optional,
    environment: list,
    script: text,
  },
  { submit: { script: text }, slash: "/" },
);

const job: ClusterJob = {
  id: "r1",
  command: { program: "/usr/bin/python", args: ["-m", "x"], env: { PATH: "/bin" } },
  runFolder: "/runs/r1",
  gpus: 2,
  cpus: 8,
  memoryMb: 1000,
  graceSeconds: 120,
};
const settings = { partition: "gpu", account: "a", qos: undefined, timeLimitMinutes: 60, gpuResource: "gpu:a100" };

test("a job in the form of v0.0.38", () => {
  const api = readSlurmApi(old);
  expect([api.version, api.path("jobs"), api.jobPath("9")]).toEqual([
    "v0.0.38",
    "/slurm/v0.0.38/jobs",
    "/slurm/v0.0.38/job/9",
  ]);
  expect(renderSlurmJob(job, settings, api)).toEqual({
    script: expect.stringContaining("#!/bin/bash"),
    job: {
      name: "attune-r1",
      comment: "attune:r1",
      partition: "gpu",
      current_working_directory: "/runs/r1",
      standard_output: "/runs/r1/run.log",
      open_mode: "append",
      requeue: false,
      tasks: 1,
      cpus_per_task: 8,
      memory_per_node: 1000,
      time_limit: 60,
      gres: "gpu:a100:2",
      environment: { PATH: "/bin" },
    },
  });
});

test("the same job in the form of v0.0.41", () => {
  const api = readSlurmApi(fresh);
  expect(api.path("jobs")).toBe("/slurm/v0.0.41/jobs/");
  const number = (value: number) => ({ set: true, infinite: false, number: value });
  expect(renderSlurmJob(job, settings, api)).toEqual({
    job: expect.objectContaining({
      open_mode: ["APPEND"],
      memory_per_node: number(1000),
      time_limit: number(60),
      tres_per_node: "gres/gpu:a100:2",
      kill_warning_signal: "USR1",
      kill_warning_flags: ["BATCH_JOB"],
      kill_warning_delay: number(120),
      environment: ["PATH=/bin"],
      script: expect.stringContaining("#!/bin/bash"),
    }),
  });
});

test("without GPUs and limits nothing is said of them", () => {
  const plain = { ...settings, timeLimitMinutes: undefined };
  const body = renderSlurmJob({ ...job, gpus: 0, memoryMb: undefined }, plain, readSlurmApi(old)) as { job: object };
  expect(Object.keys(body.job)).not.toEqual(expect.arrayContaining(["gres"]));
  expect(Object.keys(body.job)).not.toEqual(expect.arrayContaining(["time_limit"]));
});

test("of several versions the newest is spoken", () => {
  const both = {
    paths: { ...old.paths, ...fresh.paths },
    components: { schemas: { ...old.components.schemas, ...fresh.components.schemas } },
  };
  expect(readSlurmApi(both).version).toBe("v0.0.41");
});

test.each([undefined, null, "x", {}, { paths: {} }, { paths: { "/slurm/v0.0.38/job/submit": {} } }])(
  "%j is not the document of a slurmrestd that takes jobs",
  (json) => {
    expect(() => readSlurmApi(json)).toThrow(/CLUSTER_INCOMPATIBLE/);
  },
);
