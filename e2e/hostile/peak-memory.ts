import { readFileSync } from "node:fs";

/** The most memory that a process has had resident, MiB (proc(5), VmHWM); 0 when it has ended. */
export function peakMibOf(pid: number): number {
  try {
    const kibibytes = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Math.round(Number(kibibytes ?? 0) / 1024);
  } catch {
    return 0;
  }
}
