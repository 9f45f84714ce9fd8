import type { DeviceSample, Gpu } from "./device-provider.ts";
import type { GpuLease, GpuUse } from "./gpu-leases.ts";

export interface UseOfGpu {
  readonly use: GpuUse;
  readonly holder: string | null;
}

/** What the node knows of processes; both answer at once and never throw. */
export interface HolderProcesses {
  /** Whether a process of the holder lives, also one that left its group. */
  isAlive(holder: string): boolean;
  /** Whose process this is: a holder as in a lease, or undefined when it is none of ours. */
  holderOf(pid: number): string | undefined;
}

/** More memory than this, in MB, and a process that is not ours has taken the GPU; less is what a desktop or a monitor uses. */
export const foreignMemoryMb = 200;

/**
 * How each GPU is used, by its index: of the GPUs of the sample, and of those that somebody has though they are in no sample.
 * A GPU with a fault is faulty whoever has it; of one that cannot be seen now and is nobody's, nobody knows whether it is free.
 */
export function deriveUses(
  sample: DeviceSample,
  leases: readonly GpuLease[],
  processes: HolderProcesses,
): Map<number, UseOfGpu> {
  const gpus = new Map(sample.gpus.map((gpu) => [gpu.index, gpu]));
  const leaseOf = new Map(leases.flatMap((lease) => lease.gpus.map((index) => [index, lease] as const)));
  // Looking for processes costs: each holder is looked for once, whatever number of GPUs it has.
  const livingHolders = new Set(leases.flatMap(({ holder }) => (processes.isAlive(holder) ? [holder] : [])));
  const uses = new Map<number, UseOfGpu>();
  for (const index of [...new Set([...gpus.keys(), ...leaseOf.keys()])].toSorted((a, b) => a - b)) {
    const gpu = gpus.get(index);
    const holder = leaseOf.get(index)?.holder ?? null;
    if (gpu === undefined || gpu.fault !== null) uses.set(index, { use: "faulty", holder });
    else if (holder !== null) uses.set(index, { use: livingHolders.has(holder) ? "busy" : "reserved", holder });
    else if (sample.fault !== null) uses.set(index, { use: "faulty", holder: null });
    else uses.set(index, useOfUnleased(gpu, processes));
  }
  return uses;
}

function useOfUnleased(gpu: Gpu, processes: HolderProcesses): UseOfGpu {
  for (const { pid } of gpu.processes ?? []) {
    const holder = processes.holderOf(pid);
    // A process of ours on a GPU that it was not given.
    if (holder !== undefined) return { use: "busy", holder };
  }
  return { use: isForeign(gpu) ? "foreign" : "free", holder: null };
}

/**
 * Where processes cannot be seen, as on a desktop of Windows, more than this share of its memory in use makes a GPU somebody's;
 * what a screen takes is less.
 */
const unseenShare = 0.2;

/** Processes whose memory is unknown are taken to use what the others leave of the GPU's used memory. */
function isForeign({ processes, memoryUsedMb, memoryTotalMb }: Gpu): boolean {
  if (processes === null)
    return memoryUsedMb === null || memoryTotalMb === null || memoryUsedMb > unseenShare * memoryTotalMb;
  const known = processes.flatMap(({ memoryMb }) => (memoryMb === null ? [] : [memoryMb]));
  if (known.some((memoryMb) => memoryMb > foreignMemoryMb)) return true;
  if (known.length === processes.length) return false;
  return memoryUsedMb === null || memoryUsedMb - known.reduce((sum, each) => sum + each, 0) > foreignMemoryMb;
}
