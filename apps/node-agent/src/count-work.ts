import { stat } from "node:fs/promises";
import type { NodeHealth } from "@attune/contracts/compute/node-health.ts";
import type { RunState } from "@attune/contracts/compute/run-record.ts";
import type { InferenceSessions } from "./inference/create-inference-sessions.ts";
import { inferenceStates } from "@attune/contracts/compute/inference-api.ts";
import type { RunStore } from "./runs/run-store.ts";

type Runs = Pick<RunStore, "active">;
type Sessions = Pick<InferenceSessions, "status">;

/** Jobs that have not ended, by state. */
export function countJobs(store: Runs): NodeHealth["jobs"] {
  const runs = store.active();
  const countOf = (wanted: RunState): number => runs.filter(({ state }) => state === wanted).length;
  return {
    queued: countOf("queued"),
    starting: countOf("starting"),
    running: countOf("running"),
    stopping: countOf("stopping"),
  };
}

export function listModels(sessions: Sessions): NodeHealth["models"] {
  return sessions
    .status({})
    .map(({ load_id, model_path, engine, state }) => ({ load_id, model: model_path, engine, state }));
}

export function countModels(sessions: Sessions): Record<string, number> {
  const found = sessions.status({});
  return Object.fromEntries(
    inferenceStates.map((wanted) => [wanted, found.filter(({ state }) => state === wanted).length]),
  );
}

/** Bytes that workers have appended to their events and the agent has not read. */
export async function measureEventBacklog(store: Pick<RunStore, "active" | "paths">): Promise<number> {
  const bytes = await Promise.all(
    store.active().map(async ({ jobId, heard }) => {
      // A run that is not started yet has no events; one that has just ended is not asked any more.
      const size = await stat(store.paths(jobId).events).then(
        (found) => found.size,
        () => heard.offset,
      );
      return Math.max(0, size - heard.offset);
    }),
  );
  return bytes.reduce((sum, each) => sum + each, 0);
}
