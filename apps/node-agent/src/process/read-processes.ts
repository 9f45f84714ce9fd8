import { readdirSync, readFileSync } from "node:fs";
import type { ProcessIdentity } from "./process-identity.ts";

export interface RunningProcess {
  readonly pid: number;
  readonly groupId: number;
  readonly mark: string;
}

/** All processes that run now, without those that ended and were not waited for (proc(5)); none where there is no /proc. */
export function readProcesses(): readonly RunningProcess[] {
  return processNumbers().flatMap((pid) => readProcess(pid) ?? []);
}

/**
 * Processes of the group that this leader made, also when the leader is gone. A number that went to a later process with a
 * group of its own gives none.
 */
export function listGroup(leader: ProcessIdentity): readonly number[] {
  const members = readProcesses().filter(({ groupId }) => groupId === leader.pid);
  const isAnothers = members.some(({ pid, mark }) => pid === leader.pid && mark !== leader.mark);
  return isAnothers ? [] : members.map(({ pid }) => pid);
}

/** Processes whose environment sets `name` to `value`, also those that left their group. Some 10 ms on a busy machine. */
export function findByEnvironment(name: string, value: string): readonly number[] {
  const entry = `${name}=${value}`;
  return processNumbers().filter((pid) => readEnvironment(pid).includes(entry));
}

/** Processes whose environment sets `name` at all, with its value. */
export function findWithVariable(name: string): readonly { readonly pid: number; readonly value: string }[] {
  return processNumbers().flatMap((pid) => {
    const entry = readEnvironment(pid).find((text) => text.startsWith(`${name}=`));
    return entry === undefined ? [] : [{ pid, value: entry.slice(name.length + 1) }];
  });
}

/** Variables that the process was started with, as `NAME=value`; none when it is gone or another user's. */
export function readEnvironment(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}

function processNumbers(): readonly number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

// The program's name stands in parentheses and may hold anything; state, group and start are the fields 3, 5 and 22. Read as
// UTF-8, which Node does without a buffer: with any other encoding each process costs 64 KiB, all of them a full collection.
function readProcess(pid: number): RunningProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return undefined;
    return { pid, groupId: Number(fields[2]), mark: `${pid}-${fields[19] ?? ""}` };
  } catch {
    return undefined;
  }
}
