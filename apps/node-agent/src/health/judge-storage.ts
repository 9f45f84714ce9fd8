import type { NodeHealth, NodeHealthFinding } from "@attune/contracts/compute/node-health.ts";
import type { CheckResult } from "./check-once.ts";
import { findingOf } from "./finding.ts";
import type { StorageReading } from "./probe-storage.ts";

const gib = 2 ** 30;
const leastFreeBytes = gib;
/** Less than a checkpoint of a small model with its optimiser. */
const plentyFreeBytes = 10 * gib;
const fewInodes = 10_000;
const leastInodes = 100;
const slowMs = 1000;

interface JudgedStorage {
  readonly storage: NodeHealth["storage"];
  readonly findings: readonly NodeHealthFinding[];
}

/** What the check of the data folder means. */
export function judgeStorage(result: CheckResult<StorageReading>): JudgedStorage {
  if ("runningSince" in result) {
    const detail = `A check has been waiting for the disk since ${result.runningSince.toISOString()}.`;
    return { storage: null, findings: [findingOf("STORAGE_UNUSABLE", "failing", detail)] };
  }
  if ("error" in result) {
    return { storage: null, findings: [findingOf("STORAGE_UNUSABLE", "failing", describe(result.error))] };
  }
  const reading = result.value;
  return {
    storage: {
      latency_ms: reading.latencyMs,
      checked_at: reading.checkedAt.toISOString(),
      total_bytes: reading.totalBytes,
      free_bytes: reading.freeBytes,
      total_inodes: reading.totalInodes,
      free_inodes: reading.freeInodes,
    },
    findings: [...judgeLatency(reading), ...judgeSpace(reading), ...judgeInodes(reading)],
  };
}

// The code says what it is; the message would tell paths of the machine.
function describe(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  if (typeof code === "string") return `The system says ${code}.`;
  return error instanceof Error ? error.message : String(error);
}

function judgeLatency({ latencyMs }: StorageReading): NodeHealthFinding[] {
  if (latencyMs < slowMs) return [];
  return [findingOf("STORAGE_SLOW", "degraded", `It took ${(latencyMs / 1000).toFixed(1)} s.`)];
}

function judgeSpace({ freeBytes }: StorageReading): NodeHealthFinding[] {
  if (freeBytes >= plentyFreeBytes) return [];
  const state = freeBytes < leastFreeBytes ? "failing" : "degraded";
  return [findingOf("DISK_SPACE_LOW", state, `${(freeBytes / gib).toFixed(1)} GiB are free.`)];
}

function judgeInodes({ freeInodes }: StorageReading): NodeHealthFinding[] {
  if (freeInodes === null || freeInodes >= fewInodes) return [];
  const state = freeInodes < leastInodes ? "failing" : "degraded";
  return [findingOf("INODES_LOW", state, `${freeInodes} more files are possible.`)];
}
