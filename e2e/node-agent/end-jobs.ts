import { readdirSync, readFileSync } from "node:fs";

/** Ends what jobs of agents below this folder have left: they outlive their agent, and so a test that fails. */
export function endJobs(folder: string): void {
  for (const name of processNames()) {
    if (!environmentOf(name).some((entry) => entry.startsWith(`ATTUNE_RUN_DIR=${folder}/`))) continue;
    try {
      process.kill(Number(name), "SIGKILL");
    } catch {
      // it has just ended
    }
  }
}

function processNames(): readonly string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function environmentOf(name: string): readonly string[] {
  try {
    return readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}
