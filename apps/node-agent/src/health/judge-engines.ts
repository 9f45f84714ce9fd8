import type { NodeHealth, NodeHealthFinding } from "@attune/contracts/compute/node-health.ts";
import type { EngineReport } from "../engines/job-engine.ts";
import type { SchedulerReport } from "../schedulers/scheduler.ts";
import type { CheckResult } from "./check-once.ts";
import { findingOf } from "./finding.ts";

/** An engine and what it said of itself. */
export interface AskedEngine {
  readonly name: string;
  readonly kind: "job" | "inference";
  readonly result: CheckResult<EngineReport>;
}

export interface AskedScheduler {
  readonly name: string;
  readonly result: CheckResult<SchedulerReport>;
}

interface JudgedEngines {
  readonly engines: NodeHealth["engines"];
  readonly findings: readonly NodeHealthFinding[];
}

/** Which engines can be used. One that cannot be is nothing bad as long as another one of its kind can. */
export function judgeEngines(asked: readonly AskedEngine[]): JudgedEngines {
  const engines = asked.map(toEngine);
  const lacks = (kind: AskedEngine["kind"]): boolean => !engines.some((one) => one.kind === kind && one.available);
  return {
    engines,
    findings: [
      ...asked.flatMap(({ name, result }) => unknownOf(name, result)),
      ...(lacks("job") ? [findingOf("NO_JOB_ENGINE", "degraded")] : []),
      ...(lacks("inference") ? [findingOf("NO_INFERENCE_ENGINE", "degraded")] : []),
    ],
  };
}

interface JudgedSchedulers {
  readonly schedulers: NodeHealth["schedulers"];
  readonly findings: readonly NodeHealthFinding[];
}

export const judgeSchedulers = (asked: readonly AskedScheduler[]): JudgedSchedulers => ({
  schedulers: asked.map(toScheduler),
  findings: asked.flatMap(({ name, result }) => unknownOf(name, result)),
});

function toEngine({ name, kind, result }: AskedEngine): NodeHealth["engines"][number] {
  if (!("value" in result)) {
    const unavailable_reason = whyUnknown(result);
    return { name, kind, description: "", supports: [], available: false, unavailable_reason, versions: {} };
  }
  const { description, supports, available, unavailableReason, versions } = result.value;
  return {
    name,
    kind,
    description,
    supports: [...supports],
    available,
    unavailable_reason: unavailableReason,
    versions: { ...versions },
  };
}

function toScheduler({ name, result }: AskedScheduler): NodeHealth["schedulers"][number] {
  if (!("value" in result)) return { name, description: "", available: false, unavailable_reason: whyUnknown(result) };
  const { description, available, unavailableReason } = result.value;
  return { name, description, available, unavailable_reason: unavailableReason };
}

const unknownOf = (name: string, result: CheckResult<unknown>): NodeHealthFinding[] =>
  "value" in result ? [] : [findingOf("ENGINE_UNKNOWN", "degraded", `${name}: ${whyUnknown(result)}`)];

function whyUnknown(result: Exclude<CheckResult<unknown>, { readonly value: unknown }>): string {
  if ("runningSince" in result) return `It has not answered since ${result.runningSince.toISOString()}.`;
  return `It could not be asked: ${result.error instanceof Error ? result.error.message : String(result.error)}`;
}
