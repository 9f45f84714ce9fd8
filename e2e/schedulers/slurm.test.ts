import { join } from "node:path";
import type { NodeHealth } from "@attune/contracts/compute/node-health.ts";
import { startSlurm, whyNoSlurm } from "@attune/testkit/start-slurm.ts";
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
const reason = python === "" ? "the trainer's Python is not there: run npm run setup:python" : whyNoSlurm();
if (reason !== "") console.log(`Training on Slurm is not tested: ${reason}`);

test.skipIf(reason !== "")(
  "a real training on Slurm: to its end, stopped with a checkpoint, through a kill of the agent, and lost with its machine",
  { timeout: 900_000 },
  async () => {
    await using slurm = await startSlurm({ nodeCount: 1 });
    const { folder, spec } = await makeTraining(python);
    const data = join(folder, "data");
    const settings = {
      NODE_AGENT_PYTHON: python,
      NODE_AGENT_SLURM_URL: slurm.url,
      NODE_AGENT_SLURM_USER: slurm.user,
      NODE_AGENT_SLURM_TOKEN_COMMAND: slurm.tokenCommand.join(" "),
      NODE_AGENT_CLUSTER_CPUS: "1",
    };
    const long = { ...spec, training: { max_steps: 100_000 } };
    {
      await using agent = await startNodeAgent(data, settings);
      const { schedulers } = (await agent.ask("GET", "/health")).body as NodeHealth;
      expect(schedulers).toMatchObject([{ name: "slurm", available: true }]);
      const wrong = { job_id: "wrong", scheduler: "ray", spec };
      expect((await agent.ask("POST", "/compute/jobs", wrong)).status).toBeGreaterThanOrEqual(400);
      const short = { ...spec, training: { max_steps: 3 } };
      await submitRun(agent, { job_id: "whole", scheduler: "slurm", spec: short });
      await expectTrained(agent, "whole");
      expect(await logOf(data, "whole")).toContain("attune: job slurm ");
      await submitRun(agent, { job_id: "stopped", scheduler: "slurm", spec: long });
      await expectStoppedWithCheckpoint(agent, "stopped");
      await submitRun(agent, { job_id: "greedy", scheduler: "slurm", gpus: 64, spec: long });
      const why = async () => (await viewOf(agent, "greedy")).reason;
      await expect.poll(why, { timeout: 60_000 }).toMatch(/never begins as it is/);
      await agent.ask("POST", "/compute/jobs/greedy/stop");
      expect((await untilStates(agent, "greedy", ended)).state).toBe("stopped");
      await submitRun(agent, { job_id: "lost", scheduler: "slurm", spec: long });
      await untilTrains(agent, "lost");
      agent.signal("SIGKILL");
      await agent.ended;
    }
    await using agent = await startNodeAgent(data, settings);
    const { step } = await viewOf(agent, "lost");
    await expect.poll(async () => (await viewOf(agent, "lost")).step, { timeout: 60_000 }).toBeGreaterThan(step ?? 0);
    await slurm.killNode("n1");
    const { state, failure } = await untilStates(agent, "lost", ended);
    expect(state).toBe("lost");
    expect(failure).toMatchObject({ cause: "node_lost", message: expect.stringContaining("lost its machine") });
  },
);
