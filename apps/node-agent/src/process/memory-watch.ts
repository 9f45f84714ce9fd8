import { measureMemory, measureMemoryShare } from "./measure-memory.ts";

export interface MemoryExcess {
  readonly used_bytes: number;
  readonly limit_bytes: number;
}

export interface MemoryWatchDeps {
  readonly limitBytes: number;
  /** Numbers of the processes that share the limit, looked for anew. */
  readonly listMembers: () => readonly number[];
  readonly monotonicMs?: () => number;
}

export interface MemoryWatch {
  /** @returns what the processes hold when it is more than they may. */
  check(): MemoryExcess | undefined;
}

/** Processes are looked for, which takes a look at all of the machine, so often; those that are known are measured each time. */
const searchEveryMs = 1000;

/**
 * Sees when processes together hold more memory than they may. Nothing keeps them from asking for it: an allocation that
 * fails is met anywhere in a program, and few of them then say so and end.
 */
export function createMemoryWatch({
  limitBytes,
  listMembers,
  monotonicMs = () => performance.now(),
}: MemoryWatchDeps): MemoryWatch {
  let members: readonly number[] = [];
  let searchedAtMs = Number.NEGATIVE_INFINITY;
  let sharedAtMs = Number.NEGATIVE_INFINITY;
  const isDue = (sinceMs: number) => monotonicMs() - sinceMs >= searchEveryMs;
  const search = () => {
    searchedAtMs = monotonicMs();
    members = listMembers();
  };
  return {
    check: () => {
      if (isDue(searchedAtMs)) search();
      if (sum(members, measureMemory) <= limitBytes) return undefined;
      // Forks that share much are above it all the time, and the exact look costs more.
      if (!isDue(sharedAtMs)) return undefined;
      // A number that was known may be another process's by now.
      search();
      const usedBytes = sum(members, measureMemoryShare);
      if (usedBytes > limitBytes) return { used_bytes: usedBytes, limit_bytes: limitBytes };
      sharedAtMs = monotonicMs();
      return undefined;
    },
  };
}

const sum = (pids: readonly number[], measure: (pid: number) => number): number =>
  pids.reduce((total, pid) => total + measure(pid), 0);
