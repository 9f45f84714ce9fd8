import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { renderJobScript } from "./job-script.ts";
import { eventsOf, logOf, makeJob, typesOf } from "./scheduler.contract.ts";
import type { ClusterJob } from "./scheduler.ts";
import { askToStop, wasAskedToStop } from "./stop-request.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "scripts-"))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the script as a cluster does. @returns its status. */
function run(job: ClusterJob, claim = "'test 1'", timeLimitSeconds?: number): number | null {
  const script = renderJobScript(job, { claim, timeLimitSeconds });
  return spawnSync("bash", ["-c", script], { env: { PATH: "/usr/bin:/bin" }, timeout: 60_000 }).status;
}

const exitOf = ({ runFolder }: ClusterJob): unknown => JSON.parse(readFileSync(join(runFolder, "exit.json"), "utf8"));

test("a second beginning does nothing, of this job or of another one", () => {
  const job = makeJob(folder, ["steps=2"]);
  expect(run(job)).toBe(0);
  expect(run(job)).toBe(76);
  expect(run(job, "'test 2'")).toBe(75);
  expect(typesOf(job).filter((type) => type === "hello")).toHaveLength(1);
  expect(exitOf(job)).toMatchObject({ code: 0 });
  expect(logOf(job)).toContain("not repeated");
});

test("without the run's folder nothing is begun", () => {
  const job = makeJob(folder, ["steps=2"]);
  rmSync(job.runFolder, { recursive: true });
  expect(run(job)).toBe(71);
  expect(existsSync(job.runFolder)).toBe(false);
});

test("a run that was asked to stop before is not begun, and its record says so", async () => {
  const job = makeJob(folder, ["steps=2"]);
  await askToStop(job.runFolder);
  await askToStop(job.runFolder);
  expect(readFileSync(join(job.runFolder, "control.ndjson"), "utf8")).toBe('{"cmd":"stop","save":true}\n');
  expect(run(job)).toBe(143);
  expect(eventsOf(job)).toEqual([]);
  expect(exitOf(job)).toMatchObject({ code: null, signal: "SIGTERM" });
});

test("a request to stop survives a line before it that its writer did not finish", async () => {
  const { runFolder } = makeJob(folder);
  appendFileSync(join(runFolder, "control.ndjson"), '{"cmd":"st');
  expect(await wasAskedToStop(runFolder)).toBe(false);
  await askToStop(runFolder);
  expect(await wasAskedToStop(runFolder)).toBe(true);
  expect(readFileSync(join(runFolder, "control.ndjson"), "utf8").split("\n")[1]).toBe('{"cmd":"stop","save":true}');
});

test("what the cluster asks for is not taken for a request of ours", async () => {
  const { runFolder } = makeJob(folder);
  writeFileSync(join(runFolder, "control.ndjson"), '{"cmd":"stop","save":true,"by":"cluster"}\n');
  expect(await wasAskedToStop(runFolder)).toBe(false);
});

test("near its time limit a run saves and ends", () => {
  // Time enough for the worker to begin, on a busy machine too.
  const job = makeJob(folder, ["steps=100000"], { graceSeconds: 9 });
  expect(run(job, "'test 1'", 14)).toBe(0);
  expect(typesOf(job).slice(-2)).toEqual(["checkpoint", "done"]);
});

test("GPUs are the cluster's to give: what the node says of its own is left out", () => {
  const command = {
    program: "/bin/sh",
    args: ["-c", 'echo "gpus=[${CUDA_VISIBLE_DEVICES-unset}] torch=[${TORCHELASTIC_SIGNALS_TO_HANDLE-unset}]"'],
    env: { PATH: "/usr/bin:/bin", CUDA_VISIBLE_DEVICES: "7", "not a name": "x", EMPTY: "" },
  };
  const [none, one, two] = [0, 1, 2].map((gpus) => makeJob(folder, [], { command, gpus }));
  for (const job of [none, one, two]) expect(job && run(job)).toBe(0);
  expect(none && logOf(none)).toContain("gpus=[] torch=[unset]");
  expect(one && logOf(one)).toContain("gpus=[unset] torch=[unset]");
  expect(two && logOf(two)).toContain("gpus=[unset] torch=[SIGINT]");
});
