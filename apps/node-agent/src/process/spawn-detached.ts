import { spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { runIdVariable } from "./end-group.ts";
import { identifyProcess, type ProcessIdentity } from "./process-identity.ts";

export interface DetachedCommand {
  /** Absolute; gets launcher.json, run.log and exit.json, and is the working folder. */
  readonly folder: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** MiB of memory that its processes may hold together; undefined is no limit. */
  readonly memoryLimitMb: number | undefined;
  /** What its events may take on the disk before some are left out. */
  readonly maxEventsBytes: number;
}

const launcher = join(import.meta.dirname, "launcher.ts");

/**
 * Starts the launcher of a detached run as the leader of a group of its own, with its output appended to `run.log`. Whether
 * the program itself could be started stands in exit.json.
 * @returns who leads the group; undefined when it has ended already.
 * @throws Error when the system cannot start a process or open the log.
 */
export async function spawnDetached(command: DetachedCommand): Promise<ProcessIdentity | undefined> {
  const log = await open(join(command.folder, "run.log"), "a", 0o600);
  try {
    const memoryBytes = (command.memoryLimitMb ?? 0) * 2 ** 20;
    const runId = command.env[runIdVariable] ?? "";
    const own = [command.folder, runId, String(memoryBytes), String(command.maxEventsBytes)];
    const args = ["--max-old-space-size=64", launcher, ...own, command.program, ...command.args];
    const child = spawn(process.execPath, args, {
      cwd: command.folder,
      env: command.env,
      stdio: ["ignore", log.fd, log.fd],
      detached: true,
    });
    // It rejects with the event `error`, which comes instead when there is no such program or no process left.
    await once(child, "spawn");
    child.on("error", () => undefined);
    child.unref();
    return child.pid === undefined ? undefined : identifyProcess(child.pid);
  } finally {
    await log.close();
  }
}
