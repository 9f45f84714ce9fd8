import type { Gpu } from "../device-provider.ts";
import { blankGpu } from "./blank-gpu.ts";

/** The GPUs that were ever seen. A GPU keeps the index under which it was first seen, because leases are by index. */
export interface Roster {
  /**
   * Takes all GPUs of one look at the driver. One that is missing twice in a row is kept, with a fault; once may be a look that
   * was read in two parts.
   */
  see(gpus: readonly Gpu[]): void;
  /** In order of index. */
  list(): readonly Gpu[];
}

const vanished =
  "The driver does not list it any more; look at the kernel's log for Xid messages, and restart the machine.";

export function createRoster(): Roster {
  const known = new Map<string, Gpu>();
  let missed = new Set<string>();
  let sorted: readonly Gpu[] = [];

  function place(gpu: Gpu): void {
    const before = known.get(gpu.uuid);
    const isMoved = before !== undefined && before.index !== gpu.index;
    if (isMoved) {
      const fault = `The driver calls it ${gpu.index} now; restart the agent when nothing runs on the node.`;
      known.set(gpu.uuid, { ...gpu, index: before.index, fault: gpu.fault ?? fault });
      return;
    }
    // The number of one that is gone belongs to it until the agent is started again: somebody may have a lease of it.
    const isTaken = before === undefined && [...known.values()].some(({ index }) => index === gpu.index);
    if (!isTaken) known.set(gpu.uuid, gpu);
  }

  return {
    see(gpus) {
      const seen = new Set(gpus.map(({ uuid }) => uuid));
      const missing = new Set(known.keys()).difference(seen);
      for (const [uuid, gpu] of known) {
        const isGone = missing.has(uuid) && missed.has(uuid);
        if (isGone) known.set(uuid, { ...blankGpu(gpu, vanished), memoryTotalMb: gpu.memoryTotalMb });
      }
      missed = missing;
      for (const gpu of gpus) place(gpu);
      sorted = [...known.values()].toSorted((a, b) => a.index - b.index);
    },
    list: () => sorted,
  };
}
