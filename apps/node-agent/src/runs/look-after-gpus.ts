import { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { DeviceSample } from "../devices/device-provider.ts";
import type { GpuLeases } from "../devices/gpu-leases.ts";
import type { MappedCause } from "./map-cause.ts";
import { holderOfRun } from "./run-store.ts";
import type { StoredRun } from "./stored-run.ts";

export interface GpuCareDeps {
  readonly leases: GpuLeases;
  readonly devices: { latest(): DeviceSample };
  readonly logger: Logger;
  readonly monotonicMs: () => number;
}

const renewEveryMs = 10_000;
/** One sample may be wrong; so many after each other are not. */
const badSamples = 3;

/** Keeps the lease of a run, and sees when one of its GPUs is gone or cannot be used any more. */
export function createGpuCare(deps: GpuCareDeps): (run: StoredRun) => Promise<MappedCause | undefined> {
  const { devices, monotonicMs } = deps;
  let renewedAtMs = Number.NEGATIVE_INFINITY;
  let bad = 0;
  let seenAtMs = -1;
  return async (run) => {
    if (run.scheduler !== "local" || run.gpus.length === 0) return undefined;
    if (monotonicMs() - renewedAtMs >= renewEveryMs) {
      renewedAtMs = monotonicMs();
      const lost = await keepLease(deps, run);
      if (lost !== undefined) return lost;
    }
    const sample = devices.latest();
    if (sample.takenAtMs === seenAtMs || sample.fault !== null) return undefined;
    seenAtMs = sample.takenAtMs;
    const message = faultOf(run.gpus, sample);
    bad = message === undefined ? 0 : bad + 1;
    return message !== undefined && bad >= badSamples ? { cause: "gpu_unavailable", message } : undefined;
  };
}

/** Takes the lease that the holder has, and makes it last. */
async function keepLease({ leases, logger }: GpuCareDeps, run: StoredRun): Promise<MappedCause | undefined> {
  const holder = holderOfRun(run.jobId);
  try {
    const lease = await leases.acquire(holder, { mode: "explicit", indices: run.gpus });
    if (lease === undefined) return { cause: "gpu_unavailable", message: "Its GPUs were given to somebody else." };
    await leases.renew(holder, lease.token);
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.reason === "LEASE_LOST") {
      return { cause: "gpu_unavailable", message: error.message };
    }
    logger.warn({ error, run: run.jobId }, "The lease of a run's GPUs could not be renewed; it is tried again");
    return undefined;
  }
}

function faultOf(indices: readonly number[], { gpus }: DeviceSample): string | undefined {
  for (const index of indices) {
    const gpu = gpus.find((candidate) => candidate.index === index);
    if (gpu === undefined) return `GPU ${index} is not there any more.`;
    if (gpu.fault !== null) return `GPU ${index}: ${gpu.fault}`;
  }
  return undefined;
}
