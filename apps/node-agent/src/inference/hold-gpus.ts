import type { GpuRequest } from "@attune/contracts/compute/run-record.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { GpuLeases } from "../devices/gpu-leases.ts";

export interface HeldGpus {
  readonly gpus: readonly number[];
  /** Gives them back; they are free when no process of the holder lives. May be called again. */
  release(): Promise<void>;
}

export interface GpuWanted {
  readonly holder: string;
  readonly request: GpuRequest;
  /** Told once when the right to the GPUs is gone. */
  readonly onLost: (error: AppError) => void;
}

/** Well within the term of a lease. */
const renewMs = 15_000;

/**
 * Takes GPUs for a session and keeps the right to them alive.
 * @throws AppError GPU_BUSY that names who has them; GPU_NOT_FOUND
 */
export async function holdGpus(leases: GpuLeases, { holder, request, onLost }: GpuWanted): Promise<HeldGpus> {
  // Who wants none takes none away, and need not wait for the disk.
  if (request.mode === "cpu") return { gpus: [], release: async () => undefined };
  const lease = await leases.acquire(holder, request);
  if (lease === undefined) throw new AppError("GPU_BUSY", { detail: tellUses(leases, request) });
  const timer = setInterval(() => {
    leases.renew(holder, lease.token).catch((error: unknown) => {
      clearInterval(timer);
      onLost(error instanceof AppError ? error : new AppError("LEASE_LOST", {}, error));
    });
  }, renewMs);
  timer.unref();
  return {
    gpus: lease.gpus,
    release: async () => {
      clearInterval(timer);
      await leases.release(holder);
    },
  };
}

function tellUses(leases: GpuLeases, request: GpuRequest): string {
  const wanted = request.mode === "explicit" ? new Set(request.indices) : undefined;
  const taken = [...leases.uses()]
    .filter(([index, { use }]) => use !== "free" && wanted?.has(index) !== false)
    .map(([index, { use, holder }]) => `GPU ${index} is ${holder === null ? words[use] : `held by ${holder}`}`);
  return taken.length === 0 ? "" : `${taken.join(", ")}.`;
}

const words = {
  free: "free",
  reserved: "reserved",
  busy: "busy",
  foreign: "used by another program",
  faulty: "faulty",
} as const;
