import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type StartedSlurm, startSlurm, whyNoSlurm } from "@attune/testkit/start-slurm.ts";
import { afterAll, beforeAll, describe } from "vitest";
import { describeScheduler } from "../scheduler.contract.ts";
import type { Scheduler } from "../scheduler.ts";
import { createSlurmClient } from "./create-slurm-client.ts";
import { createSlurmScheduler } from "./create-slurm-scheduler.ts";
import { createSlurmToken } from "./create-slurm-token.ts";

const reason = whyNoSlurm();
if (reason !== "") console.log(`Slurm is not tested: ${reason}`);

const job = { partition: "gpu", account: undefined, qos: undefined, timeLimitMinutes: undefined, gpuResource: "gpu" };

function connect({ url, user, tokenCommand }: StartedSlurm): Scheduler {
  const token = createSlurmToken({ token: undefined, tokenCommand }, Date.now);
  return createSlurmScheduler({ client: createSlurmClient({ url, user, token, timeoutMs: 10_000 }), settings: job });
}

describe.skipIf(reason !== "")("slurm", () => {
  let slurm: StartedSlurm;
  let folder = "";
  beforeAll(async () => {
    slurm = await startSlurm({ nodeCount: 1 });
    folder = mkdtempSync(join(tmpdir(), "runs-"));
  });
  afterAll(async () => {
    await slurm[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  describeScheduler("slurm", async () => ({ scheduler: connect(slurm), folder, gpus: 2, tellsGpus: true }));
});
