import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ClusterFiles, readServerFile, type RunningServer } from "./cluster-files.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { isMarkAlive, isProcessAlive, markOf } from "./process-mark.ts";

/**
 * The server process of this cluster, whoever started it and whether or not it answers yet. What a killed server left
 * behind is removed when its number belongs to another program by now, since PostgreSQL would take that for a server.
 */
export function findServer(files: ClusterFiles): RunningServer | undefined {
  const written = readServerFile(files);
  if (written === undefined || !isProcessAlive(written.pid)) return undefined;
  if (commandOf(written.pid).includes(files.cluster)) return written;
  const isSame = readServerFile(files)?.pid === written.pid;
  if (isSame && isProcessAlive(written.pid)) rmSync(join(files.cluster, "postmaster.pid"), { force: true });
  return undefined;
}

function commandOf(pid: number): string {
  const path = `/proc/${pid}/cmdline`;
  if (existsSync(path)) return readFileSync(path, "utf8").replaceAll("\0", " ");
  return spawnSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" }).stdout;
}

/** How long a server may take to write its memory to disk and end. */
const endTimeoutMs = 60_000;

/**
 * Ends a server as it wants to be ended; one that does not end in time is stopped hard, and recovers at its next start.
 * @throws EmbeddedPostgresError when it lives on even so.
 */
export async function endServer({ pid }: RunningServer): Promise<void> {
  const mark = markOf(pid);
  for (const [signal, timeoutMs] of [["SIGINT", endTimeoutMs] as const, ["SIGQUIT", 10_000] as const]) {
    if (!send(pid, signal)) return;
    for (const endMs = performance.now() + timeoutMs; performance.now() < endMs; await sleep(10)) {
      if (!isMarkAlive(mark)) return;
    }
  }
  throw new EmbeddedPostgresError(`The database server, process ${pid}, does not end.`, "End it with kill -9.");
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}
