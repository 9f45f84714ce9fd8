import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { runSpec } from "@attune/contracts/compute/run-spec.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { LaunchCommand } from "../engines/job-engine.ts";
import { runIdVariable } from "../process/end-group.ts";
import { workerEnvironment } from "../process/worker-environment.ts";
import { gpuCountOf } from "./cluster-host.ts";
import type { RunsDeps } from "./create-runs.ts";
import type { RunFact } from "./next-run.ts";
import type { RunHost } from "./run-host.ts";
import type { RunKeeper } from "./run-keeper.ts";
import type { StoredRun } from "./stored-run.ts";
import { engineOf } from "./submit-run.ts";

export interface StartDeps extends RunsDeps {
  readonly host: RunHost;
  readonly keeper: RunKeeper;
  readonly apply: (jobId: string, fact: RunFact) => void;
}

/** Starts the processes of a run that has its GPUs. That it is about to is written down first, so that none is ever forgotten. */
export async function startRun(deps: StartDeps, run: StoredRun, gpus: readonly number[]): Promise<void> {
  const { jobId } = run;
  deps.apply(jobId, { type: "starts", gpus, at: new Date().toISOString() });
  await deps.keeper.save(jobId);
  try {
    const command = await commandOf(deps, { ...run, gpus: [...gpus] });
    deps.apply(jobId, await deps.host.start({ ...run, gpus: [...gpus] }, command));
  } catch (error) {
    if (run.scheduler !== "local" && error instanceof AppError && error.entry.retryable) {
      await sleep(retryAfterMs, undefined, { ref: false });
      deps.apply(jobId, { type: "not_started" });
      deps.apply(jobId, { type: "waits", reason: error.message });
      return;
    }
    const message = `Its processes could not be started: ${(error as Error).message}`;
    const cause =
      error instanceof AppError && error.reason.startsWith("CLUSTER_") ? "refused_by_cluster" : "environment";
    deps.apply(jobId, { type: "aborted", cause: { cause, message } });
  }
  await deps.keeper.save(jobId);
}

/** A cluster that cannot be asked now is asked again. */
const retryAfterMs = 5000;

async function commandOf(deps: StartDeps, run: StoredRun): Promise<LaunchCommand> {
  const paths = deps.store.paths(run.jobId);
  const spec = runSpec.parse(JSON.parse(await readFile(paths.spec, "utf8")));
  const isLocal = run.scheduler === "local";
  const deviceCount = isLocal ? run.gpus.length : gpuCountOf(run);
  const command = engineOf(run.engine, deps).command({ spec, runFolder: paths.folder, deviceCount });
  const own = {
    ...command.env,
    [runIdVariable]: run.runId,
    ATTUNE_RUN_DIR: paths.folder,
    ATTUNE_EVENTS: paths.events,
    ATTUNE_CONTROL: paths.control,
  };
  const visibleGpus = isLocal ? visibleTo(run, deps) : [];
  return { ...command, env: workerEnvironment({ environment: deps.environment, visibleGpus, own }) };
}

/** By UUID, which stays the same whatever else the machine has; simulated GPUs are none for a library. */
function visibleTo({ gpus }: StoredRun, { devices }: StartDeps): readonly string[] {
  if (devices.isSimulated) return [];
  const known = devices.latest().gpus;
  return gpus.map((index) => known.find((gpu) => gpu.index === index)?.uuid ?? String(index));
}
