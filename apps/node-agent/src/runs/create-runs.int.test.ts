import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeRequest } from "./testing/fake-engine.ts";
import { startRuns, type TestRuns, untilEnded } from "./testing/start-runs.ts";

let folder = "";
let agent: TestRuns;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-runs-"));
  agent = await startRuns({ dataFolder: folder });
});
afterEach(async () => {
  for (const { jobId } of agent.store.active()) await agent.runs.stop(jobId).catch(() => undefined);
  for (const { jobId } of agent.store.active()) await agent.runs.stop(jobId).catch(() => undefined);
  for (const { jobId } of agent.store.active()) await untilEnded(agent.runs, jobId);
  await agent.close();
  await rm(folder, { recursive: true });
});

test("a run from its request to its artifacts", async () => {
  const { job_id } = await agent.runs.submit(fakeRequest("succeed"));
  const job = await untilEnded(agent.runs, job_id);
  expect(job).toMatchObject({ state: "succeeded", failure: null, step: 5, total_steps: 5, unreadable_events: 0 });
});
