import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTakeUses } from "./cache/users-of.ts";
import { createPathUses } from "./list-path-uses.ts";
import type { RunStore } from "./runs/run-store.ts";
import { fakeRequest } from "./runs/testing/fake-engine.ts";
import { startRuns, type TestRuns, untilEnded } from "./runs/testing/start-runs.ts";

type Models = Parameters<typeof createPathUses>[1];

let folder = "";
let agent: TestRuns;
let models: ReturnType<Models["status"]> = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-uses-"));
  const logger = createLogger("uses", "silent");
  const store = (): RunStore => agent.store;
  const uses = createPathUses(
    { active: () => store().active(), paths: (jobId) => store().paths(jobId) },
    { status: () => models },
  );
  agent = await startRuns({ dataFolder: folder, usersOf: (path) => createTakeUses(uses, logger)()(path) });
});
afterEach(async () => {
  await agent.close();
  await rm(folder, { recursive: true });
});

test("a job is kept while another one goes on from its checkpoint, or a model has its adapter", async () => {
  await agent.runs.submit(fakeRequest("succeed", { job_id: "first" }));
  await untilEnded(agent.runs, "first");
  const { folder: files, output } = agent.store.paths("first");
  const { spec, ...rest } = fakeRequest("until-stopped", { job_id: "second" });
  await agent.runs.submit({
    ...rest,
    spec: { ...spec, resume: join(files, "checkpoints/checkpoint-2") } as typeof spec,
  });
  await expect(agent.runs.remove("first")).rejects.toThrow(/RUN_IN_USE.*job second/);
  await agent.runs.stop("second");
  await untilEnded(agent.runs, "second");
  models = [{ state: "ready", load_id: "l-1", model_path: "/m", adapter_path: output } as (typeof models)[number]];
  await expect(agent.runs.remove("first")).rejects.toThrow(/RUN_IN_USE.*model l-1/);
  models = [];
  // The end of the second one is told a moment before it is written down.
  await vi.waitFor(() => agent.runs.remove("first"), 10_000);
  await expect(agent.runs.get("first")).rejects.toThrow(/RUN_NOT_FOUND/);
});
