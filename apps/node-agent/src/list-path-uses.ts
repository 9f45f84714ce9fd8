import { readFileSync } from "node:fs";
import { runSpec } from "@attune/contracts/compute/run-spec.ts";
import type { PathUse } from "./cache/users-of.ts";
import type { InferenceSessions } from "./inference/create-inference-sessions.ts";
import { pathsOf } from "./runs/paths-of.ts";
import type { RunStore } from "./runs/run-store.ts";

/**
 * A function that tells which files jobs and loaded models use, so that the cache keeps them. It throws when a specification
 * cannot be read: then nobody knows what is in use.
 */
export function createPathUses(
  store: Pick<RunStore, "active" | "paths">,
  sessions: Pick<InferenceSessions, "status">,
): () => readonly PathUse[] {
  let known: ReadonlyMap<string, readonly string[]> = new Map();
  return () => {
    const ids = store.active().map(({ jobId }) => jobId);
    known = new Map(ids.map((id) => [id, known.get(id) ?? readPaths(store.paths(id).spec)]));
    const ofJobs = [...known].flatMap(([id, paths]) => paths.map((path) => ({ path, by: `job ${id}` })));
    return [...ofJobs, ...usesOfModels(sessions)];
  };
}

// A specification never changes, and so is read once.
function readPaths(path: string): readonly string[] {
  return pathsOf(runSpec.parse(JSON.parse(readFileSync(path, "utf8"))));
}

function usesOfModels(sessions: Pick<InferenceSessions, "status">): PathUse[] {
  const live = sessions.status({}).filter(({ state }) => state !== "error");
  return live.flatMap(({ load_id: id, model_path: model, adapter_path: adapter }) =>
    [model, ...(adapter === null ? [] : [adapter])].map((path) => ({ path, by: `model ${id}` })),
  );
}
