import { readdirSync, readFileSync } from "node:fs";
import { sep } from "node:path";

/** Processes of jobs whose folder lies below this one: they outlive the node agent. None where there is no /proc. */
export function findJobProcesses(folder: string): readonly number[] {
  return processNumbers().filter((pid) =>
    environmentOf(pid).some((entry) => entry.startsWith(`ATTUNE_RUN_DIR=${folder}${sep}`)),
  );
}

function processNumbers(): readonly number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** None when it is gone or another user's. */
function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}
