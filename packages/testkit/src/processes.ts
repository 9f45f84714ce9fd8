import { readdirSync, readFileSync } from "node:fs";

/** Ids of all processes that descend from one, from /proc. */
export function descendantsOf(pid: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (/^\d+$/.test(name)) parents.set(Number(name), parentOf(name));
  }
  const isDescendant = (candidate: number): boolean => {
    const parent = parents.get(candidate) ?? 0;
    return parent === pid || (parent > 1 && isDescendant(parent));
  };
  return [...parents.keys()].filter(isDescendant);
}

// The parent is the second field after the program's name in parentheses (proc(5)).
function parentOf(name: string): number {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0; // it ended meanwhile
  }
}

/** Seconds of CPU that a process has used, from /proc; 0 when it has ended. */
export function cpuSecondsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

export function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.[0] !== "Z";
  } catch {
    return false;
  }
}

/** Asks again every few milliseconds until the answer is yes. @throws Error when it has not come in time. */
export async function until(isTrue: () => boolean, timeoutMs: number, what: string): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  while (!isTrue()) {
    if (performance.now() > endMs) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
