import { type NodeHealthFinding } from "@attune/contracts/compute/node-health.ts";
import { type NodeHealthReason, nodeHealthReasons } from "@attune/contracts/compute/node-health-reasons.ts";

/** One thing that is wrong, in the catalogue's words. `detail` is public: no secret. */
export const findingOf = (
  reason: NodeHealthReason,
  state: NodeHealthFinding["state"],
  detail?: string,
): NodeHealthFinding => ({ reason, state, ...nodeHealthReasons[reason], detail: detail ?? null });
