import type { GpuProcess } from "../device-provider.ts";
import { steadyNow } from "../steady-now.ts";
import { readNumber, splitCsv } from "./parse-smi-row.ts";

/**
 * The processes that use GPUs, from lines that come for each of them at every look, and not at all while there are none: a
 * process is there while a line of it came within the last looks.
 */
export interface SeenApps {
  /** @returns whether the line was one of a process. */
  take(line: string): boolean;
  /** By UUID of the GPU. */
  list(): ReadonlyMap<string, readonly GpuProcess[]>;
}

/** A process is gone when no line of it came for so many intervals. */
const goneIntervals = 2.5;

export function createSeenApps(intervalMs: number, now: () => number = steadyNow): SeenApps {
  const seen = new Map<string, { readonly uuid: string; readonly process: GpuProcess; readonly atMs: number }>();
  return {
    take(line) {
      const app = parseApp(line);
      if (app === undefined) return false;
      seen.set(`${app.uuid} ${app.process.pid}`, { ...app, atMs: now() });
      return true;
    },
    list() {
      const oldestMs = now() - goneIntervals * intervalMs;
      for (const [key, { atMs }] of seen) if (atMs < oldestMs) seen.delete(key);
      const byGpu = Map.groupBy(seen.values(), ({ uuid }) => uuid);
      return new Map([...byGpu].map(([uuid, apps]) => [uuid, apps.map(({ process }) => process)]));
    },
  };
}

function parseApp(line: string): { readonly uuid: string; readonly process: GpuProcess } | undefined {
  const [uuid = "", pidText = "", memory] = splitCsv(line);
  const pid = readNumber(pidText, { min: 1, max: 2 ** 31 });
  if (!/^(?:GPU|MIG)-/.test(uuid) || pid === null || !Number.isInteger(pid)) return undefined;
  return { uuid, process: { pid, memoryMb: readNumber(memory, { max: 100_000_000 }) } };
}
