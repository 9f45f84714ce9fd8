import { readFileSync } from "node:fs";

/**
 * Bytes of memory and swap that a process holds and the kernel cannot take back: its own pages and shared ones, without those
 * of files that it has mapped (proc(5), status). What it has only reserved, as CUDA and V8 do with many gigabytes, is not in it.
 * 0 when the process is gone.
 */
export function measureMemory(pid: number): number {
  const status = readProc(pid, "status");
  const held = sumOf(status, ["RssAnon", "RssShmem"]) ?? sumOf(status, ["VmRSS"]) ?? 0;
  return held + (sumOf(status, ["VmSwap"]) ?? 0);
}

/**
 * The same with pages that several processes share, such as those of a parent and its forks, counted in parts that add up to
 * one. It takes the kernel some milliseconds for each gigabyte. Where it does not tell, what `measureMemory` says.
 */
export function measureMemoryShare(pid: number): number {
  const rollup = readProc(pid, "smaps_rollup");
  const held = sumOf(rollup, ["Pss_Anon", "Pss_Shmem"]);
  return held === undefined ? measureMemory(pid) : held + (sumOf(rollup, ["SwapPss"]) ?? 0);
}

/** Undefined where one of the fields is missing. */
function sumOf(text: string, names: readonly string[]): number | undefined {
  const found = names.map((name) => new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]);
  if (found.includes(undefined)) return undefined;
  return found.reduce((sum, kib) => sum + Number(kib) * 1024, 0);
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}
