import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runPaths } from "../run-paths.ts";
import type { StoredRun } from "../stored-run.ts";

export interface KilledAgent {
  readonly jobId: string;
  /** The run as the agent wrote it down last. */
  readonly run: StoredRun;
}

export const readStored = (dataFolder: string, jobId: string): StoredRun =>
  JSON.parse(readFileSync(runPaths(join(dataFolder, "runs"), jobId).record, "utf8")) as StoredRun;

/** Starts an agent with one run, and kills it with SIGKILL when what it wrote down is as `when` says. */
export async function killAgent(
  dataFolder: string,
  mode: string,
  when: (run: StoredRun) => boolean,
): Promise<KilledAgent> {
  const main = join(import.meta.dirname, "agent-main.ts");
  const child = spawn(process.execPath, [main, dataFolder, mode], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [bytes] = (await once(child.stdout, "data")) as [Buffer];
    const jobId = bytes.toString().trim();
    while (!when(readStored(dataFolder, jobId))) await new Promise((resolve) => setTimeout(resolve, 10));
    return { jobId, run: readStored(dataFolder, jobId) };
  } finally {
    child.kill("SIGKILL");
    await once(child, "close");
  }
}
