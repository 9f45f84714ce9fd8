import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@attune/testkit/processes.ts";
import type { JobView } from "@attune/contracts/compute/run-record.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { listFamily, sendSignal } from "../../process/end-group.ts";
import { bootMoment } from "../../process/boot-moment.ts";
import { runPaths } from "../run-paths.ts";
import type { FinishRun } from "../settle-run.ts";
import type { StoredRun } from "../stored-run.ts";
import { fakeRequest } from "../testing/fake-engine.ts";
import { killAgent, readStored } from "../testing/kill-agent.ts";
import { startRuns, type TestRuns, type TestRunsOptions, untilEnded, untilRun } from "../testing/start-runs.ts";
import { agentRows } from "./agent-rows.ts";
import { checkTruth } from "./check-truth.ts";
import type { TruthRow } from "./truth-case.ts";

let folder = "";
let agent: TestRuns | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-faults-"));
});
afterEach(async () => {
  await agent?.close();
  agent = undefined;
  await rm(folder, { recursive: true });
});

const start = async (options: Partial<TestRunsOptions> = {}): Promise<TestRuns> => {
  agent = await startRuns({ dataFolder: folder, ...options });
  return agent;
};
const hasStep = (run: StoredRun) => (run.heard.step ?? 0) >= 3;
const isStarted = (run: StoredRun) => run.leader !== null;
const killed = (run: StoredRun) => sendSignal(run.heard.worker?.pid ?? 0, "SIGKILL");
const gone = (run: StoredRun) =>
  until(() => listFamily({ runId: run.runId, leader: run.leader ?? undefined }).length === 0, 20_000, "all are gone");
const edit = (jobId: string, change: (run: StoredRun) => object) => {
  const run = readStored(folder, jobId);
  writeFileSync(runPaths(join(folder, "runs"), jobId).record, JSON.stringify({ ...run, ...change(run) }));
};

/** The next agent takes the run up and sees it to its end, which is that of the row. */
async function nextAgentSays(
  row: TruthRow,
  jobId: string,
): Promise<{ readonly next: TestRuns; readonly job: JobView }> {
  const next = await start();
  const job = await untilEnded(next.runs, jobId);
  await checkTruth(row, { agent: next, job, runId: readStored(folder, jobId).runId });
  return { next, job };
}

describe("the agent is killed with SIGKILL", { timeout: 60_000 }, () => {
  test("while the worker trains", async () => {
    const { jobId } = await killAgent(folder, "slow", hasStep);
    const { next } = await nextAgentSays(agentRows.agentKilled, jobId);
    const events = [];
    const signal = new AbortController().signal;
    for await (const { event } of await next.runs.events(jobId, { fromOffset: 0 }, signal)) events.push(event);
    await until(() => next.store.active().length === 0, 10_000, "its end is written");
    const seqs = events.map((event) => ("seq" in event ? event.seq : 0));
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => index + 1));
    expect(readStored(folder, jobId).heard).toMatchObject({
      step: 5,
      unreadable: 0,
      lastSeqs: { 0: seqs.length },
      offset: readFileSync(next.store.paths(jobId).events).length,
    });
    expect(next.store.active()).toEqual([]);
  });

  test("and the run is done before the next one", async () => {
    const { jobId, run } = await killAgent(folder, "slow", hasStep);
    await gone(run);
    expect(readStored(folder, jobId).state).toBe("running");
    const { job } = await nextAgentSays(agentRows.doneMeanwhile, jobId);
    expect(job.step).toBe(5);
  });

  test("then the worker", async () => {
    const { jobId, run } = await killAgent(folder, "until-stopped", hasStep);
    killed(run);
    await gone(run);
    const { job } = await nextAgentSays(agentRows.workerKilledMeanwhile, jobId);
    expect(job.failure?.signal).toBe("SIGKILL");
  });

  test("then everything", async () => {
    const { jobId, run } = await killAgent(folder, "until-stopped", hasStep);
    process.kill(-(run.leader?.pid ?? 0), "SIGKILL");
    const { job } = await nextAgentSays(agentRows.allKilled, jobId);
    expect(job.failure).toMatchObject({ exit_code: null, signal: null });
  });

  test("and the machine was started anew", async () => {
    const { jobId, run } = await killAgent(folder, "until-stopped", hasStep);
    process.kill(-(run.leader?.pid ?? 0), "SIGKILL");
    await gone(run);
    edit(jobId, ({ leader }) => ({ leader: { ...leader, bootId: "another boot" } }));
    const { job } = await nextAgentSays(agentRows.rebooted, jobId);
    expect(job.failure?.message).toContain("started anew");
  });

  test("while the run is being stopped", async () => {
    const { jobId } = await killAgent(folder, "until-stopped", hasStep);
    edit(jobId, () => ({ state: "stopping", isStopAsked: true }));
    const { job } = await nextAgentSays(agentRows.stoppingMeanwhile, jobId);
    expect(job.checkpoints).toHaveLength(1);
  });

  test("while a run that heeds nothing is being stopped", async () => {
    const { jobId, run } = await killAgent(folder, "ignores-stop", hasStep);
    const { bootId, uptimeSeconds } = bootMoment();
    const askedToEnd = { bootId, uptimeSeconds: uptimeSeconds - run.graceSeconds };
    edit(jobId, () => ({ state: "stopping", isStopAsked: true, askedToEnd }));
    const { job } = await nextAgentSays(agentRows.stoppingLong, jobId);
    expect(run.graceSeconds).toBe(120);
    expect(job.reason).toContain("ended before it saved");
  });

  test("just before it starts the processes", async () => {
    const { jobId, run } = await killAgent(folder, "succeed", isStarted);
    await gone(run);
    const { launcher, exit, events } = runPaths(join(folder, "runs"), jobId);
    for (const path of [launcher, exit]) rmSync(path);
    writeFileSync(events, "");
    edit(jobId, () => ({ state: "starting", leader: null, heard: { ...run.heard, offset: 0, lastSeqs: {} } }));
    const { job } = await nextAgentSays(agentRows.neverSpawned, jobId);
    expect(job.step).toBe(5);
  });

  test("just after it started the processes", async () => {
    const { jobId, run } = await killAgent(folder, "slow", isStarted);
    edit(jobId, () => ({ state: "starting", leader: null }));
    const { next } = await nextAgentSays(agentRows.unrecorded, jobId);
    expect(readStored(folder, jobId).leader).toEqual(run.leader);
    await until(() => next.store.active().length === 0, 10_000, "its end is written");
  });

  test("and the folder of its run is gone: the processes are ended by the next one", async () => {
    const { jobId, run } = await killAgent(folder, "until-stopped", hasStep);
    // Its worker writes on; a folder that is moved away is gone at once.
    renameSync(join(folder, "runs", jobId), join(folder, "gone"));
    await start();
    expect(listFamily({ runId: run.runId, leader: run.leader ?? undefined })).toEqual([]);
  });
});

/** The run has ended under this agent, as the row says. */
const checkHere = (row: TruthRow, job: JobView): Promise<void> =>
  checkTruth(row, { agent: agent as TestRuns, job, runId: readStored(folder, job.job_id).runId });

describe("what lies around a run fails", { timeout: 60_000 }, () => {
  test("the clock is set", async () => {
    const { runs } = await start();
    const { job_id } = await runs.submit(fakeRequest("slow", { gpus: 1, stall_timeout_seconds: 20 }));
    await untilRun(runs, job_id, ({ step }) => (step ?? 0) >= 3);
    const jumps = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 365 * 86_400_000);
    await untilRun(runs, job_id, ({ step }) => (step ?? 0) >= 15);
    jumps.mockReturnValue(0);
    const job = await untilEnded(runs, job_id);
    jumps.mockRestore();
    expect(job.is_stale).toBe(false);
    await checkHere(agentRows.clockJump, job);
  });

  test("a GPU of the run vanishes", async () => {
    const { runs, devices } = await start();
    const { job_id } = await runs.submit(fakeRequest("ignores-stop", { gpus: [2], grace_seconds: 0 }));
    await untilRun(runs, job_id, ({ step }) => (step ?? 0) >= 3);
    devices.set(2, { fault: "The GPU has fallen off the bus." });
    const job = await untilEnded(runs, job_id);
    expect(job.failure?.message).toContain("fallen off the bus");
    await checkHere(agentRows.gpuVanished, job);
  });

  test("the lease of its GPU goes to somebody else", async () => {
    let nowMs = 0;
    const { runs, leases } = await start({ monotonicMs: () => nowMs });
    const { job_id } = await runs.submit(fakeRequest("ignores-stop", { gpus: [1], grace_seconds: 0 }));
    await untilRun(runs, job_id, ({ step }) => step !== null);
    vi.spyOn(leases, "acquire").mockResolvedValue(undefined);
    nowMs += 60_000;
    const ticking = setInterval(() => (nowMs += 1000), 20);
    const job = await untilEnded(runs, job_id);
    clearInterval(ticking);
    await checkHere(agentRows.leaseLost, job);
    expect(job.failure?.message).toContain("somebody else");
  });

  test("its record cannot be written", async () => {
    const { runs, store } = await start();
    const { job_id } = await runs.submit(fakeRequest("slow", { gpus: 1 }));
    await untilRun(runs, job_id, ({ step }) => (step ?? 0) >= 3);
    const { record } = store.paths(job_id);
    rmSync(record);
    mkdirSync(record);
    const job = await untilEnded(runs, job_id);
    expect(job.state).toBe(agentRows.recordUnwritable.state);
    expect((await runs.get(job_id)).reason).toContain("cannot write down");
    rmdirSync(record);
    await until(() => store.active().length === 0, 10_000, "it is written");
    expect(readStored(folder, job_id).state).toBe("succeeded");
    const written = await runs.get(job_id);
    expect(written.reason).toBeNull();
    await checkHere(agentRows.recordUnwritable, written);
  });

  test("its predictions cannot be scored", async () => {
    let isBroken = true;
    const finish = async ({ paths }: { readonly paths: { readonly output: string } }) => {
      if (isBroken) throw new Error("predictions.jsonl has no line 3");
      writeFileSync(join(paths.output, "eval_results.json"), "{}");
    };
    const { runs } = await start({ finish });
    const broken = await untilEnded(runs, (await runs.submit(fakeRequest("eval-ok", { kind: "eval" }))).job_id);
    await checkHere(agentRows.scoringFails, broken);
    expect(broken.failure?.message).toContain("no line 3");
    isBroken = false;
    const whole = await untilEnded(runs, (await runs.submit(fakeRequest("eval-ok", { kind: "eval" }))).job_id);
    expect(whole.state).toBe("succeeded");
  });

  test("its predictions are being scored when it is stopped", async () => {
    let isScoring = false;
    const finish: FinishRun = ({ signal }) =>
      new Promise((_, reject) => {
        isScoring = true;
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
    const { runs } = await start({ finish });
    const { job_id } = await runs.submit(fakeRequest("eval-ok", { kind: "eval" }));
    await until(() => isScoring, 20_000, "it is scored");
    await runs.stop(job_id);
    const job = await untilEnded(runs, job_id);
    await checkHere(agentRows.stoppedScoring, job);
    expect(job.reason).toContain("scored");
    expect(job.artifact_dir).toBeNull();
  });

  test("its predictions are being scored, it is stopped, and the agent is killed", async () => {
    const { jobId, run } = await killAgent(folder, "slow", hasStep);
    await gone(run);
    edit(jobId, () => ({ kind: "eval", state: "stopping", isStopAsked: true }));
    const finish: FinishRun = async ({ signal }) => signal.throwIfAborted();
    const { runs } = await start({ finish });
    const job = await untilEnded(runs, jobId);
    await checkHere(agentRows.stoppedScoring, job);
    expect(job.reason).toContain("scored");
  });
});
