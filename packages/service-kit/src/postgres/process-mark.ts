import { readFileSync } from "node:fs";

/**
 * Names a process beyond its end: `<pid>-<start>`, the start in clock ticks since the machine's (proc(5), field 22), so that
 * a later process with the same number is another one. Without /proc the start is 0.
 */
export function markOf(pid: number): string {
  return `${pid}-${readStat(pid)?.start ?? 0}`;
}

/** Whether the process that the mark names still runs; one that ended and was not yet waited for does not. */
export function isMarkAlive(mark: string): boolean {
  const [pid, start] = mark.split("-");
  if (!hasProc) return isSignalled(Number(pid));
  const stat = readStat(Number(pid));
  return stat !== undefined && stat.state !== "Z" && stat.start === start;
}

export function isProcessAlive(pid: number): boolean {
  return isMarkAlive(markOf(pid));
}

const hasProc = readStat(process.pid) !== undefined;

// The program's name stands in parentheses and may hold anything; state and start are the fields 3 and 22. As UTF-8 Node reads
// it without the buffer of 64 KiB that any other encoding costs.
function readStat(pid: number): { readonly state: string; readonly start: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", start: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

function isSignalled(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
