import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ClusterJob, Scheduler } from "../schedulers/scheduler.ts";
import { createFakeScheduler } from "../schedulers/testing/create-fake-scheduler.ts";
import { fakeRequest } from "./testing/fake-engine.ts";
import { startRuns, type TestRuns, untilEnded, untilRun } from "./testing/start-runs.ts";

let folder = "";
let cluster: ReturnType<typeof createFakeScheduler>;
let agent: TestRuns;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-cluster-"));
  cluster = createFakeScheduler(1);
});
afterEach(async () => {
  cluster.close();
  await agent.close();
  await rm(folder, { recursive: true });
});

const startWith = async (more: Partial<Scheduler> = {}): Promise<void> => {
  agent = await startRuns({ dataFolder: folder, schedulers: [{ ...cluster, name: "slurm", ...more }] });
};

/** A run whose job the cluster has, and of whose submission nothing more is heard than what `answer` gives. */
async function submitUnheard(answer: () => Promise<string>) {
  const taken = Promise.withResolvers<ClusterJob>();
  const submit = async (job: ClusterJob) => {
    await cluster.submit(job);
    taken.resolve(job);
    return answer();
  };
  await startWith({ submit });
  const { job_id: jobId } = await agent.runs.submit(fakeRequest("until-stopped", { scheduler: "slurm" }));
  const { id, runFolder } = await taken.promise;
  const placed = { reference: (await cluster.find(id)) as string, runFolder };
  expect((await cluster.status(placed)).state).toBe("running");
  return { jobId, placed };
}

const lost = () => Promise.reject(new AppError("CLUSTER_UNREACHABLE", { detail: "no answer within 30 seconds" }));
const never = () => new Promise<string>(() => undefined);

test("a run whose submission was not answered is found and stopped on its cluster", { timeout: 60_000 }, async () => {
  const { jobId, placed } = await submitUnheard(lost);
  expect((await agent.runs.stop(jobId)).state).toBe("stopping");
  expect((await untilEnded(agent.runs, jobId)).state).toBe("stopped");
  expect((await cluster.status(placed)).state).toMatch(/succeeded|stopped/);
});

test("so is one that waits in the queue to be sent again", { timeout: 60_000 }, async () => {
  const { jobId, placed } = await submitUnheard(lost);
  await untilRun(agent.runs, jobId, ({ state }) => state === "queued");
  await agent.runs.stop(jobId);
  expect((await untilEnded(agent.runs, jobId)).state).toBe("stopped");
  expect((await cluster.status(placed)).state).toMatch(/succeeded|stopped/);
});

test("so is one whose agent ended before the answer, and it is not told to be stopped before it is", async () => {
  const { jobId, placed } = await submitUnheard(never);
  await agent.runs.stop(jobId);
  await agent.close();
  let isReachable = false;
  const find: Scheduler["find"] = (id) => (isReachable ? cluster.find(id) : lost());
  await startWith({ find });
  const waiting = await untilRun(agent.runs, jobId, ({ reason }) => reason !== null);
  expect(waiting).toMatchObject({ state: "stopping", reason: expect.stringContaining("no answer within 30 seconds") });
  isReachable = true;
  // What is no longer so is no longer told.
  await untilRun(agent.runs, jobId, ({ reason }) => !(reason ?? "").includes("no answer"));
  expect((await untilEnded(agent.runs, jobId)).state).toBe("stopped");
  expect((await cluster.status(placed)).state).toMatch(/succeeded|stopped/);
});

test("a run that its cluster never had is stopped, and one that it refuses has failed, whether it can be asked or not", async () => {
  await startWith({ submit: never });
  const { job_id: unheard } = await agent.runs.submit(fakeRequest("succeed", { scheduler: "slurm" }));
  await untilRun(agent.runs, unheard, ({ state }) => state === "starting");
  await agent.runs.stop(unheard);
  await agent.close();
  const refuse = () =>
    Promise.reject(new AppError("CLUSTER_JOB_REFUSED", { detail: "Slurm says: no such partition." }));
  await startWith({ submit: refuse });
  expect((await untilEnded(agent.runs, unheard)).state).toBe("stopped");
  await agent.close();
  await startWith({ submit: refuse, find: lost });
  const { job_id: refused } = await agent.runs.submit(fakeRequest("succeed", { scheduler: "slurm" }));
  expect(await untilEnded(agent.runs, refused)).toMatchObject({
    state: "failed",
    failure: { cause: "refused_by_cluster", message: expect.stringContaining("no such partition") },
  });
});
