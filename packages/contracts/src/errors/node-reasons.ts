import { cacheReasons } from "./cache-reasons.ts";
import { clusterReasons } from "./cluster-reasons.ts";
import { gpuReasons } from "./gpu-reasons.ts";
import { inferenceReasons } from "./inference-reasons.ts";
import { nodeHttpReasons } from "./node-http-reasons.ts";
import type { PlatformReasonEntry } from "./platform-reasons.ts";
import { runReasons } from "./run-reasons.ts";
import { scoringReasons } from "./scoring-reasons.ts";

/** Reasons that only a compute node gives; faults of requests have those of `platformReasons`. */
export const nodeReasons = {
  ...nodeHttpReasons,
  ...gpuReasons,
  ...runReasons,
  ...inferenceReasons,
  ...cacheReasons,
  ...clusterReasons,
  ...scoringReasons,
} as const satisfies Record<string, PlatformReasonEntry>;

export type NodeReason = keyof typeof nodeReasons;
