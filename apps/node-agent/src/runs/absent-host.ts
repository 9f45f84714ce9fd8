import { AppError } from "@attune/service-kit/app-error.ts";
import type { RunHost } from "./run-host.ts";

/** Where runs of a scheduler are that this node was once set up for and is not now: nothing is known of them, and nothing is done. */
export function createAbsentHost(scheduler: string): RunHost {
  const note = `This node is not set up for ${scheduler} any more, so that it cannot tell how the run stands.`;
  const refuse = () => Promise.reject(new AppError("CLUSTER_UNSET", { detail: note }));
  return {
    start: refuse,
    look: () => Promise.resolve({ isGone: false, note }),
    ask: refuse,
    terminate: refuse,
    kill: () => Promise.resolve(note),
    ending: refuse,
  };
}
