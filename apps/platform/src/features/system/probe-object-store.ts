import type { Database, Queries } from "../../infra/db/create-database.ts";
import type { ObjectStore } from "../../infra/storage/object-store.ts";
import { findLastVerification, isLive, sampleObjects, type Verification } from "../storage/index.ts";
import type { Finding, ProbeOf } from "./probe.ts";

const gib = 2 ** 30;
const leastFreeBytes = gib / 2;
const plentyFreeBytes = 5 * gib;
/** Objects that are looked for, of the oldest and of the latest. */
const samplesPerEnd = 2;
/** A verification that has had no end for so long has lost its process. */
const verificationMs = 24 * 3_600_000;

/** Has the store take, give back and remove a small object, and looks for objects that must be there. */
export function createObjectStoreProbe({ queries }: Database, store: ObjectStore): ProbeOf<"object_store"> {
  return {
    part: "object_store",
    unavailable: "STORE_UNAVAILABLE",
    run: async (signal) => {
      const startMs = performance.now();
      const availability = await store.probe(signal);
      const latencyMs = Math.round(performance.now() - startMs);
      if (!availability.isAvailable) {
        const detail = availability.unavailableReason;
        return { facts: null, findings: [{ reason: "STORE_UNAVAILABLE", state: "failing", detail }] };
      }
      const { freeBytes } = availability;
      const samples = await sampleObjects(queries, store.name, samplesPerEnd);
      const missing = await findMissing(queries, { store, samples }, signal);
      const verification = await findLastVerification(queries);
      const facts = {
        store: store.name,
        latency_ms: latencyMs,
        free_bytes: freeBytes ?? null,
        objects_looked_for: samples.length,
        verified_at: verification?.endedAt?.toISOString() ?? null,
      };
      return {
        facts,
        findings: [
          ...judgeMissing(missing, samples.length),
          ...judgeSpace(freeBytes),
          ...judgeVerification(verification, Date.now()),
        ],
      };
    },
  };
}

interface Samples {
  readonly store: ObjectStore;
  readonly samples: Awaited<ReturnType<typeof sampleObjects>>;
}

async function findMissing(queries: Queries, { store, samples }: Samples, signal: AbortSignal): Promise<string[]> {
  const missing: string[] = [];
  for (const { id, key, sizeBytes } of samples) {
    const head = await store.head(key, signal);
    // One that was removed meanwhile is not missing.
    if (head?.sizeBytes !== sizeBytes && (await isLive(queries, id))) missing.push(key);
  }
  return missing;
}

function judgeMissing([first, ...others]: readonly string[], sampled: number): Finding[] {
  if (first === undefined) return [];
  const detail = `${others.length + 1} of ${sampled} that were looked for are missing or of another size, such as ${first}.`;
  return [{ reason: "STORE_OBJECTS_MISSING", state: "failing", detail }];
}

export function judgeSpace(freeBytes: number | undefined): Finding[] {
  if (freeBytes === undefined || freeBytes >= plentyFreeBytes) return [];
  const detail = `${(freeBytes / gib).toFixed(1)} GiB are free.`;
  return [{ reason: "STORE_SPACE_LOW", state: freeBytes < leastFreeBytes ? "failing" : "degraded", detail }];
}

export function judgeVerification(verification: Verification | undefined, nowMs: number): Finding[] {
  if (verification === undefined) return [];
  const { startedAt, endedAt, failure } = verification;
  if (endedAt !== null && failure === null) return judgeFaults(verification);
  const isUnderWay = failure === null && nowMs - startedAt.getTime() < verificationMs;
  if (isUnderWay) return [];
  const detail = `It began at ${startedAt.toISOString()}${failure === null ? "." : `: ${failure}`}`;
  return [{ reason: "VERIFICATION_UNFINISHED", state: "degraded", detail }];
}

function judgeFaults({ startedAt, faultCount, faults }: Verification): Finding[] {
  if (faultCount === null || faultCount === 0) return [];
  const kept = faults ?? [];
  // An object that no record knows is a waste of space; with any other one content is lost.
  const isLoss = faultCount > kept.length || kept.some(({ kind }) => kind !== "unknown");
  const detail = `It began at ${startedAt.toISOString()} and found ${faultCount}.`;
  return [{ reason: "VERIFICATION_FOUND_FAULTS", state: isLoss ? "failing" : "degraded", detail }];
}
