import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runSpec } from "@attune/contracts/compute/run-spec.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { measureEventBacklog } from "./count-work.ts";
import { createPathUses } from "./list-path-uses.ts";
import { runPaths } from "./runs/run-paths.ts";
import type { StoredRun } from "./runs/stored-run.ts";

let folder = "";
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "count-work-"))));
afterEach(() => rm(folder, { recursive: true }));

/** Files of runs whose folder is the test's, each named by its job. */
const paths = (jobId: string) => ({
  ...runPaths(folder, jobId),
  spec: join(folder, `${jobId}.json`),
  events: join(folder, `${jobId}.ndjson`),
});
const storeOf = (...runs: readonly { readonly jobId: string; readonly heard: { readonly offset: number } }[]) => ({
  active: () => runs as unknown as StoredRun[],
  paths,
});
const noModels = { status: () => [] };

test("the bytes of events that were not read are those beyond what was read, of all jobs", async () => {
  await writeFile(paths("a").events, "x".repeat(100));
  await writeFile(paths("b").events, "x".repeat(40));
  const runs = [
    { jobId: "a", heard: { offset: 70 } },
    { jobId: "b", heard: { offset: 40 } },
    { jobId: "not-started", heard: { offset: 0 } },
  ];
  expect(await measureEventBacklog(storeOf(...runs))).toBe(30);
});

test("the model, the adapter and the data of a job are in use while it has not ended", async () => {
  const spec = runSpec.parse({
    kind: "eval",
    model: { path: "/m" },
    adapter_path: "/a",
    data: { files: ["/d.jsonl"], eval_files: ["/e.jsonl"] },
  });
  await writeFile(paths("j").spec, JSON.stringify(spec));
  const runs = [{ jobId: "j", heard: { offset: 0 } }];
  const list = createPathUses({ active: () => storeOf(...runs).active(), paths }, noModels);
  expect(list()).toEqual(["/m", "/a", "/d.jsonl", "/e.jsonl"].map((path) => ({ path, by: "job j" })));
  runs.pop();
  expect(list()).toEqual([]);
});

test("while a specification cannot be read, nobody is told that nothing is in use", () => {
  const list = createPathUses(storeOf({ jobId: "lost", heard: { offset: 0 } }), noModels);
  expect(list).toThrow(/ENOENT/);
});
