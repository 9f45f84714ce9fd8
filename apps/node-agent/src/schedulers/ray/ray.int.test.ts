import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type StartedRay, startRay, whyNoRay } from "@attune/testkit/start-ray.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeScheduler, eventsOf, makeJob, place, typesOf, untilState, untilSteps } from "../scheduler.contract.ts";
import type { Scheduler } from "../scheduler.ts";
import { createRayScheduler } from "./create-ray-scheduler.ts";

const reason = whyNoRay();
if (reason !== "") console.log(`Ray is not tested: ${reason}`);

describe.skipIf(reason !== "")("ray", { timeout: 180_000 }, () => {
  let ray: StartedRay;
  let scheduler: Scheduler;
  let folder = "";
  beforeAll(async () => {
    ray = await startRay();
    folder = mkdtempSync(join(tmpdir(), "runs-"));
    scheduler = createRayScheduler({ url: ray.url, token: undefined, timeoutMs: 20_000 });
  });
  afterAll(async () => {
    await ray[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  describeScheduler("ray", async () => ({ scheduler, folder, gpus: 4, tellsGpus: false }));

  test("the answer to a submission is lost: another agent finds the same job", async () => {
    const once = makeJob(folder, ["steps=3"]);
    const reference = await scheduler.submit(once);
    const other = createRayScheduler({ url: ray.url, token: undefined, timeoutMs: 20_000 });
    expect(await other.submit(once)).toBe(reference);
    await untilState(scheduler, { reference, runFolder: once.runFolder });
    expect(typesOf(once).filter((type) => type === "hello")).toHaveLength(1);
  });

  test("stopped on the cluster by somebody else: a checkpoint within the run's own grace time", async () => {
    const long = await place(scheduler, makeJob(folder, ["steps=100000", "save-ms=6000"]));
    await untilSteps(long);
    await createRayScheduler({ url: ray.url, token: undefined, timeoutMs: 20_000 }).end(long);
    const status = await untilState(scheduler, long);
    expect(status).toMatchObject({ state: "stopped", reason: expect.stringContaining("stopped on the cluster") });
    expect(typesOf(long)).toContain("checkpoint");
  });

  test("the head is gone: the state is the last one known, and lost when it came back without the job", async () => {
    const long = await place(scheduler, makeJob(folder, ["steps=100000"]));
    await untilSteps(long);
    await ray.kill();
    expect(await scheduler.status(long)).toMatchObject({
      state: "unknown",
      reason: expect.stringContaining("last one known"),
    });
    await expect(scheduler.submit(makeJob(folder))).rejects.toThrow(/CLUSTER_UNREACHABLE/);
    expect(await scheduler.report()).toMatchObject({
      available: false,
      unavailableReason: expect.stringContaining("Ray"),
    });
    await ray.start();
    expect(await untilState(scheduler, long)).toMatchObject({
      state: "lost",
      cause: "node_lost",
      reason: expect.stringContaining("started anew"),
    });
    expect(eventsOf(long).some(({ type }) => type === "done")).toBe(false);
  });
});
