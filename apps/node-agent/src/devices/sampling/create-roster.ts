import type { Gpu } from "../device-provider.ts";
import { blankGpu } from "./blank-gpu.ts";

/** The GPUs that were ever seen. A GPU keeps the index under which it was first seen, because leases are by index. */
export interface Roster {
  /** Takes all GPUs of one look at the driver; those that are missing are kept, with a fault. */
  see(gpus: readonly Gpu[]): void;
  /** In order of index. */
  list(): readonly Gpu[];
}

const vanished =
  "The driver does not list it any more; look at the kernel's log for Xid messages, and restart the machine.";

export function createRoster(): Roster {
  const known = new Map<string, Gpu>();
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
      for (const [uuid, gpu] of known) {
        if (!seen.has(uuid)) known.set(uuid, { ...blankGpu(gpu, vanished), memoryTotalMb: gpu.memoryTotalMb });
      }
      for (const gpu of gpus) place(gpu);
      sorted = [...known.values()].toSorted((a, b) => a.index - b.index);
    },
    list: () => sorted,
  };
}
