import type { SweepStatus } from "../../infra/sweep-record.ts";
import type { Finding, ProbeOf } from "./probe.ts";

/** Intervals after which a sweeper that came to no end counts as stuck. */
const lateIntervals = 3;

/** Looks at the latest runs of this node's sweepers. */
export function createSweepersProbe(list: () => readonly SweepStatus[], nowMs = Date.now): ProbeOf<"sweepers"> {
  return {
    part: "sweepers",
    unavailable: "SWEEP_LATE",
    run: async () => {
      const statuses = list();
      return {
        facts: { sweeps: statuses.map(toWire) },
        findings: statuses.flatMap((status) => judgeSweep(status, nowMs())),
      };
    },
  };
}

export function judgeSweep(status: SweepStatus, nowMs: number): Finding[] {
  const { name, everyMs, sinceMs, startedMs, endedMs, isLastWell } = status;
  const isUnderWay = startedMs !== undefined && (endedMs === undefined || endedMs < startedMs);
  const silentMs = nowMs - (isUnderWay ? startedMs : (endedMs ?? sinceMs));
  if (silentMs > lateIntervals * everyMs) {
    const what = isUnderWay ? "is under way" : "has not run";
    return [{ reason: "SWEEP_LATE", state: "failing", detail: `${name}: ${what} for ${minutes(silentMs)} minutes.` }];
  }
  return isLastWell === false ? [{ reason: "SWEEP_FAILED", state: "degraded", detail: `${name}.` }] : [];
}

const minutes = (milliseconds: number): number => Math.round(milliseconds / 60_000);
const toTime = (atMs: number | undefined): string | null => (atMs === undefined ? null : new Date(atMs).toISOString());

const toWire = ({ name, everyMs, startedMs, endedMs, isLastWell }: SweepStatus) => ({
  name,
  every_seconds: Math.round(everyMs / 1000),
  started_at: toTime(startedMs),
  ended_at: toTime(endedMs),
  is_last_well: isLastWell ?? null,
});
