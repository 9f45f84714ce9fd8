import { readFile, readlink } from "node:fs/promises";
import * as z from "zod";

/** A process, told apart from a later one that has its number. */
export const processIdentity = z.object({
  pid: z.int().positive(),
  /** Ticks since the machine came up; null where the system does not tell. */
  started: z.string().nullable(),
  boot_id: z.string().nullable(),
  /** The namespace in which the number holds: containers that share a disk have several. */
  pid_namespace: z.string().nullable(),
});
export type ProcessIdentity = z.infer<typeof processIdentity>;

export async function identifyThisProcess(): Promise<ProcessIdentity> {
  return {
    pid: process.pid,
    started: await readStartTime(process.pid),
    boot_id: await bootId(),
    pid_namespace: await readlink("/proc/self/ns/pid").catch(() => null),
  };
}

/** `unknown`: it is, or was, in another container of this machine, and cannot be seen from here. */
export async function findLiveness(owner: ProcessIdentity): Promise<"alive" | "gone" | "unknown"> {
  const here = await identifyThisProcess();
  if (owner.boot_id !== here.boot_id) return "gone";
  if (owner.pid_namespace !== here.pid_namespace) return "unknown";
  if (owner.started === null) return answersToSignals(owner.pid) ? "alive" : "gone";
  return (await readStartTime(owner.pid)) === owner.started ? "alive" : "gone";
}

const bootId = async (): Promise<string | null> =>
  (await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => null))?.trim() ?? null;

// Fields 3 and 22 of proc(5), counted after the name in parentheses. A zombie runs no more.
async function readStartTime(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  if (stat === undefined) return null;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? null);
}

function answersToSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
