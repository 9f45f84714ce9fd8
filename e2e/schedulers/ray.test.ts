import { join } from "node:path";
import type { NodeHealth } from "@attune/contracts/compute/node-health.ts";
import { startRay, whyNoRay } from "@attune/testkit/start-ray.ts";
import { expect, test } from "vitest";
import { startNodeAgent } from "../node-agent/start-node-agent.ts";
import { findTrainerPython } from "../trainer/find-python.ts";
import {
  ended,
  expectStoppedWithCheckpoint,
  expectTrained,
  logOf,
  makeTraining,
  submitRun,
  untilStates,
  untilTrains,
  viewOf,
} from "./run-on-cluster.ts";

const python = findTrainerPython() ?? "";
const reason = python === "" ? "the trainer's Python is not there: run npm run setup:python" : whyNoRay();
if (reason !== "") console.log(`Training on Ray is not tested: ${reason}`);

test.skipIf(reason !== "")(
  "a real training on Ray: to its end, stopped with a checkpoint, and lost with the head",
  { timeout: 900_000 },
  async () => {
    await using ray = await startRay();
    const { folder, spec } = await makeTraining(python);
    const data = join(folder, "data");
    const settings = { NODE_AGENT_PYTHON: python, NODE_AGENT_RAY_URL: ray.url, NODE_AGENT_CLUSTER_CPUS: "1" };
    const long = { ...spec, training: { max_steps: 100_000 } };
    await using agent = await startNodeAgent(data, settings);
    const { schedulers } = (await agent.ask("GET", "/health")).body as NodeHealth;
    expect(schedulers).toMatchObject([{ name: "ray", available: true }]);
    await submitRun(agent, {
      job_id: "whole",
      scheduler: "ray",
      spec: { ...spec, training: { max_steps: 3 } },
    });
    await expectTrained(agent, "whole");
    expect(await logOf(data, "whole")).toContain("attune: job ray ");
    await submitRun(agent, { job_id: "stopped", scheduler: "ray", spec: long });
    await expectStoppedWithCheckpoint(agent, "stopped");
    await submitRun(agent, { job_id: "lost", scheduler: "ray", spec: long });
    await untilTrains(agent, "lost");
    await ray.kill();
    await expect.poll(async () => (await viewOf(agent, "lost")).reason, { timeout: 60_000 }).toMatch(/last one known/);
    expect((await viewOf(agent, "lost")).state).toBe("running");
    await ray.start();
    const { state, failure } = await untilStates(agent, "lost", ended);
    expect(state).toBe("lost");
    expect(failure).toMatchObject({ cause: "node_lost", message: expect.stringContaining("started anew") });
  },
);
