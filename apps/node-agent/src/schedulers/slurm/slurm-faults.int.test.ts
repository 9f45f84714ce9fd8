import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@attune/service-kit/secret.ts";
import { type StartedSlurm, startSlurm, whyNoSlurm } from "@attune/testkit/start-slurm.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventsOf, logOf, makeJob, place, typesOf, untilState, untilSteps } from "../scheduler.contract.ts";
import type { ClusterJob, Scheduler } from "../scheduler.ts";
import { createSlurmClient } from "./create-slurm-client.ts";
import { createSlurmScheduler } from "./create-slurm-scheduler.ts";
import { createSlurmToken, type SlurmTokenSettings } from "./create-slurm-token.ts";
import type { SlurmJobSettings } from "./render-slurm-job.ts";

const reason = whyNoSlurm();
if (reason !== "") console.log(`Faults of Slurm are not tested: ${reason}`);

const plain = {
  partition: undefined,
  account: undefined,
  qos: undefined,
  timeLimitMinutes: undefined,
  gpuResource: "gpu",
};

describe.skipIf(reason !== "")("slurm", { timeout: 180_000 }, () => {
  let slurm: StartedSlurm;
  let scheduler: Scheduler;
  let folder = "";

  const connect = (more: Partial<SlurmTokenSettings> = {}, settings: Partial<SlurmJobSettings> = {}): Scheduler => {
    const token = createSlurmToken({ token: undefined, tokenCommand: slurm.tokenCommand, ...more }, Date.now);
    const client = createSlurmClient({ url: slurm.url, user: slurm.user, token, timeoutMs: 4000 });
    return createSlurmScheduler({ client, settings: { ...plain, ...settings } });
  };
  const job = (args: readonly string[], more: Partial<ClusterJob> = {}) => makeJob(folder, args, more);

  const allUp = async (): Promise<void> => {
    const pools = async () => (await scheduler.report()).pools;
    await expect.poll(pools, { timeout: 60_000 }).toMatchObject([{ nodesUp: 2, nodesTotal: 2 }]);
  };

  beforeAll(async () => {
    slurm = await startSlurm({ nodeCount: 2 });
    folder = mkdtempSync(join(tmpdir(), "runs-"));
    scheduler = connect();
  });
  afterAll(async () => {
    await slurm[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  test("slurmctld is killed and started again in the middle of a run: nothing is lost", async () => {
    const long = await place(scheduler, job(["steps=100000"]));
    await untilSteps(long);
    // Slurm writes its state some seconds after a change, and forgets what it has not written. The first writing may be of before.
    const state = join(slurm.folder, "state/job_state");
    const writtenAtMs = () => statSync(state, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    for (const minutes of [600, 700]) {
      const beforeMs = writtenAtMs();
      slurm.control("update", `jobid=${long.reference}`, `timelimit=${minutes}`);
      await expect.poll(writtenAtMs, { timeout: 60_000 }).toBeGreaterThan(beforeMs);
    }
    await slurm.stopController("SIGKILL");
    const status = await scheduler.status(long);
    expect(status).toMatchObject({ state: "unknown", cause: null, reason: expect.stringContaining("last one known") });
    expect(await scheduler.report()).toMatchObject({
      available: false,
      unavailableReason: expect.stringContaining("slurm"),
    });
    const waiting = job([]);
    await expect(scheduler.submit(waiting)).rejects.toThrow(/CLUSTER_UNREACHABLE/);
    await slurm.startController();
    await untilState(scheduler, long, ["running"]);
    await scheduler.stop(long);
    expect(await untilState(scheduler, long, ["succeeded"])).toMatchObject({ exitCode: 0 });
    expect(typesOf(long).slice(-2)).toEqual(["checkpoint", "done"]);
    const placed = await place(scheduler, waiting);
    await untilState(scheduler, placed, ["succeeded"]);
    expect(typesOf(placed).filter((type) => type === "hello")).toHaveLength(1);
  });

  test("a run whose machine is lost is lost, says so, and does not begin anew elsewhere", async () => {
    const long = await place(scheduler, job(["steps=100000"]));
    await untilSteps(long);
    const [node = ""] = (await scheduler.status(long)).nodes;
    expect(slurm.nodes).toContain(node);
    await slurm.killNode(node);
    expect(await untilState(scheduler, long)).toMatchObject({
      state: "lost",
      cause: "node_lost",
      reason: expect.stringContaining("lost its machine"),
    });
    slurm.startNode(node);
    await allUp();
    // Slurm 22.05 puts it into the queue again, whatever it was told.
    expect(await scheduler.status(long)).toMatchObject({ state: "lost" });
    await scheduler.end(long);
    await expect.poll(() => slurm.control("show", "job", long.reference), { timeout: 60_000 }).toContain("CANCELLED");
    expect((await scheduler.status(long)).state).toBe("lost");
    expect(typesOf(long).filter((type) => type === "hello")).toHaveLength(1);
  });

  test("a job that was put into the queue again does nothing when it begins", async () => {
    const long = await place(scheduler, job(["steps=100000"]));
    await untilSteps(long);
    slurm.control("requeue", long.reference);
    await untilState(scheduler, long, ["lost"]);
    await expect
      .poll(() => slurm.control("show", "job", long.reference), { timeout: 60_000 })
      .toContain("JobState=PENDING");
    slurm.control("update", `jobid=${long.reference}`, "starttime=now");
    await expect.poll(() => logOf(long), { timeout: 60_000 }).toContain("the run is not repeated");
    expect((await scheduler.status(long)).state).toBe("lost");
    expect(typesOf(long).filter((type) => type === "hello")).toHaveLength(1);
  });

  test("an administrator takes a machine down: its run is lost", async () => {
    const long = await place(scheduler, job(["steps=100000"]));
    await untilSteps(long);
    const [node = ""] = (await scheduler.status(long)).nodes;
    slurm.control("update", `nodename=${node}`, "state=down", "reason=fire");
    expect(await untilState(scheduler, long)).toMatchObject({ state: "lost", cause: "node_lost" });
    const report = await scheduler.report();
    expect(report.pools).toMatchObject([{ name: "gpu", nodesUp: 1, nodesTotal: 2, gpusTotal: 2 }]);
    await scheduler.end(long);
    slurm.control("update", `nodename=${node}`, "state=resume");
    await allUp();
  });

  test("no machine is up: the report says it", async () => {
    const names = slurm.nodes.join(",");
    slurm.control("update", `nodename=${names}`, "state=down", "reason=fire");
    expect(await scheduler.report()).toMatchObject({
      available: false,
      unavailableReason: expect.stringContaining("sinfo"),
    });
    await expect(scheduler.submit(job([]))).rejects.toThrow(/CLUSTER_NOT_READY/);
    slurm.control("update", `nodename=${names}`, "state=resume");
    await allUp();
  });

  test("slurmrestd is down: jobs stay as they were, and the answer comes when it is back", async () => {
    const long = await place(scheduler, job(["steps=100000"]));
    await untilSteps(long);
    await slurm.stopRest();
    expect(await scheduler.status(long)).toMatchObject({
      state: "unknown",
      reason: expect.stringContaining("ECONNREFUSED"),
    });
    await expect(scheduler.stop(long)).rejects.toThrow(/CLUSTER_UNREACHABLE/);
    // The control file reached the worker all the same.
    await expect.poll(() => typesOf(long).at(-1), { timeout: 60_000 }).toBe("done");
    await slurm.startRest();
    await untilState(scheduler, long, ["succeeded"]);
  });

  test("the answer to a submission is lost: the same job is found, not made again", async () => {
    const once = job(["steps=3"]);
    const reference = await connect().submit(once);
    expect(await connect().submit(once)).toBe(reference);
    await untilState(scheduler, { reference, runFolder: once.runFolder });
    expect(slurm.control("show", "jobs").split(`JobName=attune-${once.id}`)).toHaveLength(2);
  });

  test("two jobs of one run, as a crash between them could leave: only one runs", async () => {
    const twice = job(["steps=5"]);
    const first = await place(scheduler, twice);
    await untilState(scheduler, first, ["succeeded"]);
    const second = await place(scheduler, { ...twice, id: `${twice.id}-again` });
    expect(await untilState(scheduler, second)).toMatchObject({ state: "failed", exitCode: 75 });
    expect(logOf(first)).toContain("does nothing");
    expect(eventsOf(first).filter(({ type }) => type === "hello")).toHaveLength(1);
  });

  test("what the cluster does not have is refused, or waits with its reason", async () => {
    await expect(scheduler.submit(job([], { gpus: 64 }))).rejects.toThrow(/CLUSTER_JOB_REFUSED.*configuration/s);
    const wrong = connect({}, { partition: "nope" });
    await expect(wrong.submit(job([]))).rejects.toThrow(/CLUSTER_JOB_REFUSED.*partition/s);
    slurm.control("update", "partitionname=gpu", "state=down");
    const waiting = await place(scheduler, job([]));
    const status = await untilState(scheduler, waiting, ["queued"]);
    await expect
      .poll(async () => (await scheduler.status(waiting)).reason, { timeout: 60_000 })
      .toMatch(/partition is down/);
    expect(status.nodes).toEqual([]);
    slurm.control("update", "partitionname=gpu", "state=up");
    await untilState(scheduler, waiting, ["succeeded"]);
  });

  test("cancelled on the cluster by somebody else: stopped, with that as its reason, and a checkpoint", async () => {
    const long = await place(scheduler, job(["steps=100000"]));
    await untilSteps(long);
    const other = connect();
    await other.end(long);
    const status = await untilState(scheduler, long);
    expect(status).toMatchObject({ state: "stopped", reason: expect.stringContaining("cancelled on the cluster") });
    expect(typesOf(long)).toContain("checkpoint");
  });

  test("before its time limit a run is asked to save", async () => {
    const limited = connect({}, { timeLimitMinutes: 1 });
    const long = await place(limited, job(["steps=100000"], { graceSeconds: 57 }));
    await untilState(limited, long, ["succeeded"]);
    expect(typesOf(long).slice(-2)).toEqual(["checkpoint", "done"]);
    expect(logOf(long)).toContain("time limit is near");
  });

  test("tokens: a refused one is told, an expired one with its time, and a command makes new ones", async () => {
    const fixed = (text: string) => connect({ token: new Secret(text), tokenCommand: undefined });
    const expired = slurm.token(1);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const report = await fixed(expired).report();
    expect(report).toMatchObject({
      available: false,
      unavailableReason: expect.stringMatching(/expired at 2.*token/s),
    });
    await expect(fixed(expired).submit(job([]))).rejects.toThrow(/CLUSTER_ACCESS_DENIED/);
    expect(await connect({ tokenCommand: undefined }).report()).toMatchObject({ available: false });
    expect(await connect({ tokenCommand: ["/nowhere/scontrol"] }).report()).toMatchObject({
      unavailableReason: expect.stringContaining("no such program"),
    });
    expect(await connect({ tokenCommand: ["false"] }).report()).toMatchObject({ available: false });
    expect(await connect({ tokenCommand: ["echo"] }).report()).toMatchObject({
      unavailableReason: expect.stringContaining("printed no token"),
    });
    expect(await connect({ token: new Secret(expired) }).report()).toMatchObject({ available: true });
    expect(await fixed(slurm.token()).report()).toMatchObject({
      available: true,
      version: expect.stringContaining("API v0.0."),
    });
  });
});
