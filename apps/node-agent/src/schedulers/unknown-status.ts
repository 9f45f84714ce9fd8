import type { ClusterStatus } from "./scheduler.ts";
import { sentenceOf } from "./unavailable.ts";

/** Where a job stands when its cluster cannot be asked: as before, for all that is known. */
export function unknownStatus(error: unknown): ClusterStatus {
  const reason = `Its state is the last one known. ${sentenceOf(error)}`;
  return { state: "unknown", reason, cause: null, nodes: [], gpus: [], exitCode: null, signal: null };
}
