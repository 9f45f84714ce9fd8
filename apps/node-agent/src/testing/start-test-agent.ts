import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jobRequest } from "@attune/contracts/compute/run-record.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { type Agent, assembleAgent } from "../assemble-agent.ts";
import { loadConfig } from "../config.ts";
import { openRunStore } from "../runs/run-store.ts";
import { newRun } from "../runs/submit-run.ts";

export interface TestAgent extends AsyncDisposable {
  readonly agent: Agent;
  /** Without a slash at its end. */
  readonly url: string;
  readonly folder: string;
}

export const endedJobId = "known-job";
export const removableJobId = "removable-job";

/** A job that an earlier agent has brought to its end. */
async function addEndedJob(root: string, jobId: string): Promise<void> {
  const store = await openRunStore(root, createLogger("node-agent", "silent"));
  const request = jobRequest.parse({
    job_id: jobId,
    spec: { kind: "eval", model: { path: "/m" }, data: { files: ["/d.jsonl"] } },
  });
  const run = newRun(request, { mode: "cpu" });
  await store.add({ ...run, state: "stopped", endedAt: new Date().toISOString() }, request.spec);
  await store.save(jobId);
  await writeFile(store.paths(jobId).log, "one line\nanother\n");
}

/** An agent in this process, with simulated GPUs and nothing that reaches outside, on a folder of its own. */
export async function startTestAgent(settings: Readonly<Record<string, string>> = {}): Promise<TestAgent> {
  const folder = await mkdtemp(join(tmpdir(), "attune-agent-"));
  const config = loadConfig({
    NODE_AGENT_DATA_DIR: join(folder, "data"),
    NODE_AGENT_GPU_SIM: "2xH100-80GB",
    NODE_AGENT_PYTHON: join(folder, "no-python"),
    NODE_AGENT_HUB_ENDPOINT: "http://127.0.0.1:1",
    ...settings,
  });
  for (const jobId of [endedJobId, removableJobId]) await addEndedJob(join(folder, "data/runs"), jobId);
  const agent = await assembleAgent(config, { PATH: "/usr/bin:/bin" }, createLogger("node-agent", "silent"));
  const url = await agent.server.listen({ host: "127.0.0.1", port: 0 });
  return {
    agent,
    url,
    folder,
    [Symbol.asyncDispose]: async () => {
      await agent.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
