import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fakeRequest } from "../testing/fake-engine.ts";
import { readStored } from "../testing/kill-agent.ts";
import { startRuns, type TestRuns, untilEnded, untilRun } from "../testing/start-runs.ts";
import { agentRows } from "./agent-rows.ts";
import { checkTruth } from "./check-truth.ts";

let folder = "";
let isMounted = false;
let agent: TestRuns;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-full-"));
  isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", folder]).status === 0;
  if (isMounted) agent = await startRuns({ dataFolder: folder });
});
afterAll(async () => {
  if (isMounted) {
    await agent.close();
    spawnSync("umount", [folder]);
  }
  await rm(folder, { recursive: true });
});
beforeEach((context) => {
  if (!isMounted) context.skip("a file system of a few megabytes cannot be mounted here");
});

const filler = () => join(folder, "filler");

/** Takes the last byte of the file system. */
const fill = () => writeFileSync(filler(), Buffer.alloc(8 * 2 ** 20));

test("the disk gets full while a worker trains", { timeout: 60_000 }, async () => {
  const { runs } = agent;
  const { job_id } = await runs.submit(fakeRequest("slow", { gpus: 1 }));
  const { runId } = await untilRun(runs, job_id, ({ step }) => (step ?? 0) >= 3).then(() => readStored(folder, job_id));
  expect(fill).toThrow(/ENOSPC/);
  const job = await untilEnded(runs, job_id);
  expect(job).toMatchObject({ state: "failed", failure: { cause: "disk_full", exit_code: 1 } });
  await expect.poll(async () => (await runs.get(job_id)).reason, { timeout: 10_000 }).toContain("cannot write down");
  await expect(runs.submit(fakeRequest("succeed"))).rejects.toThrow(AppError);
  await expect(runs.submit(fakeRequest("succeed"))).rejects.toThrow(/RUN_NOT_STORED.*ENOSPC/);
  rmSync(filler());
  await expect.poll(async () => (await runs.get(job_id)).reason, { timeout: 10_000 }).not.toContain("cannot write");
  const kept = await runs.get(job_id);
  expect(readStored(folder, job_id).state).toBe("failed");
  await checkTruth(agentRows.diskFull, { agent, job: kept, runId });
  expect((await runs.list({ limit: 10 })).jobs).toHaveLength(1);
});
