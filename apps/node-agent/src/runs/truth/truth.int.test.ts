import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCauses } from "@attune/contracts/compute/run-causes.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { untilEnded, startRuns, type TestRuns, untilRun } from "../testing/start-runs.ts";
import { fakeRequest } from "../testing/fake-engine.ts";
import { checkTruth } from "./check-truth.ts";
import { killCases } from "./kill-cases.ts";
import { stopCases } from "./stop-cases.ts";
import { wordCases } from "./word-cases.ts";

const cases = [...wordCases, ...killCases, ...stopCases];

let folder = "";
let agent: TestRuns;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-truth-"));
  agent = await startRuns({ dataFolder: folder, gpus: cases.length, settings: { maxEventsBytes: 2 * 2 ** 20 } });
});
afterAll(async () => {
  await agent.close();
  await rm(folder, { recursive: true });
});

const runIdOf = (jobId: string): string =>
  (JSON.parse(readFileSync(agent.store.paths(jobId).record, "utf8")) as { runId: string }).runId;

describe("what the node says of a run, whatever happens to it", () => {
  test.concurrent.each(cases)("$fault: $injected", { timeout: 60_000 }, async (row) => {
    const { job_id } = await agent.runs.submit(fakeRequest(row.mode, { gpus: 1, ...row.request }));
    const runId = runIdOf(job_id);
    await row.act?.(agent, await untilRun(agent.runs, job_id, row.when ?? (() => true)));
    const job = await untilEnded(agent.runs, job_id);
    await checkTruth(row, { agent, job, runId });
    expect(`${job.reason} ${job.failure?.message}`).toContain(row.says ?? "");
    expect(job.failure?.hint).toBe(row.cause === null ? undefined : runCauses[row.cause].hint);
    expect(job.log_tail.join("\n")).toContain(row.logs ?? "");
    expect(row.unreadable ?? job.unreadable_events).toBe(job.unreadable_events);
    expect(await agent.runs.get(job_id)).toEqual(job);
  });
});

test("a flood is bounded on the disk, and its last words are kept", { timeout: 60_000 }, async () => {
  const { job_id } = await agent.runs.submit(fakeRequest("log-flood", { gpus: 1 }));
  const job = await untilEnded(agent.runs, job_id);
  const { log, folder: run } = agent.store.paths(job_id);
  expect(job.log_tail).toEqual(Array.from({ length: 200 }, (_, index) => `last words ${index + 101}`));
  expect(statSync(log).blocks * 512).toBeLessThan(100 * 2 ** 20);
  expect(readdirSync(run)).toContain("log-tail.json");
});

test(
  "a flood of events is bounded on the disk, tells what it left out, and keeps the rest",
  { timeout: 60_000 },
  async () => {
    const { job_id } = await agent.runs.submit(fakeRequest("event-flood", { gpus: 1 }));
    const job = await untilEnded(agent.runs, job_id);
    const { events, eventsKept } = agent.store.paths(job_id);
    const bytes = [events, eventsKept].map((path) => statSync(path).blocks * 512);
    expect(statSync(events).size).toBeGreaterThan(4 * 2 ** 20);
    expect((bytes[0] ?? 0) + (bytes[1] ?? 0)).toBeLessThan(4 * 2 ** 20);
    expect(job.left_out_events).toBeGreaterThan(10_000);
    expect(job.checkpoints.map(({ step }) => step)).toEqual([50, 150, 250, 350]);
    const said: string[] = [];
    const told: string[] = [];
    for await (const { event } of await agent.runs.events(job_id, { fromOffset: 0 }, new AbortController().signal)) {
      if (event.type !== "log") said.push(event.type);
      else if (event.level === "protocol") told.push(event.message);
    }
    expect(said).toEqual(["hello", ...Array.from({ length: 4 }, () => "checkpoint"), "artifact", "done"]);
    // It stands where the events are missing, which is where the bound was met.
    expect(told).toEqual([expect.stringContaining(String(job.left_out_events))]);
  },
);
