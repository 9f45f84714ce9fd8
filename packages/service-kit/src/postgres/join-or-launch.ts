import { setTimeout as sleep } from "node:timers/promises";
import type { ClusterFiles, RunningServer } from "./cluster-files.ts";
import { EmbeddedPostgresError, useOwnServer } from "./embedded-postgres-error.ts";
import { endServer, findServer } from "./find-server.ts";
import { guardServer } from "./guard-server.ts";
import { type LaunchedServer, launchServer, type LaunchSettings } from "./launch-server.ts";
import { makeDatabase } from "./make-database.ts";
import { isProcessAlive } from "./process-mark.ts";
import { databaseUrlOf } from "./server-url.ts";

export interface JoinedServer {
  readonly server: RunningServer;
  readonly isAdopted: boolean;
}

export interface Watching {
  /** The database that the server must have. */
  readonly databaseName: string;
  readonly log?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Joins the server of the cluster, or launches it; it then answers queries. PostgreSQL itself lets only one server into a
 * cluster, so of two starters at once one fails to launch and joins the other's.
 */
export async function joinOrLaunch(
  files: ClusterFiles,
  launch: LaunchSettings,
  watching: Watching,
): Promise<JoinedServer> {
  const { log, signal } = watching;
  for (const endMs = performance.now() + leftoverTimeoutMs; ; await sleep(100, undefined, { signal })) {
    const found = findServer(files);
    if (found !== undefined) {
      const server = { ...found, socketFolder: found.socketFolder || launch.socketFolder };
      if (await isReady(server, () => !isProcessAlive(found.pid), watching)) return { server, isAdopted: true };
      continue;
    }
    const launched = launchServer(files, launch);
    const server = { pid: launched.pid, socketFolder: launch.socketFolder };
    // At once: whoever is killed while the server gets ready leaves none.
    if (launched.pid !== 0) guardServer(launched.pid, files);
    if (await isReadyOrKilled(server, launched, watching)) return { server, isAdopted: false };
    if (findServer(files) !== undefined) continue;
    if (!hasLeftovers(launched) || performance.now() > endMs) throw startFailure(files, launched);
    log?.("The database still has processes of a server that was killed; waiting for them to end.");
  }
}

/** How long processes of a killed server may take to notice that it is gone. */
const leftoverTimeoutMs = 30_000;

function hasLeftovers(launched: LaunchedServer): boolean {
  return /still in use|lock file .* already exists|lock file .* is empty/.test(launched.log());
}

/** A server may replay hours of changes after a kill; it is waited for as long as it lives, within reason. */
const readyTimeoutMs = 600_000;

async function isReadyOrKilled(server: RunningServer, launched: LaunchedServer, watching: Watching): Promise<boolean> {
  try {
    return await isReady(server, launched.hasEnded, watching);
  } catch (error) {
    await endServer(server);
    throw error;
  }
}

/** Waits until the server answers queries and has its database. @returns false when it ended instead. */
async function isReady(
  server: RunningServer,
  hasEnded: () => boolean,
  { databaseName, log, signal }: Watching,
): Promise<boolean> {
  const startMs = performance.now();
  let isTold = false;
  for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.3, 250)) {
    if (hasEnded()) return false;
    const state = await makeDatabase(databaseUrlOf(server, "postgres"), databaseName);
    if (state === "made") return true;
    const waitedMs = performance.now() - startMs;
    if (waitedMs > readyTimeoutMs) {
      const remedy = "See postgres.log in its folder, and start again.";
      throw new EmbeddedPostgresError(`The database server has not become ready in 10 minutes: ${state}.`, remedy);
    }
    if (waitedMs > 5000 && !isTold) log?.(`The database is not ready yet: ${state}.`);
    isTold ||= waitedMs > 5000;
    await sleep(pauseMs, undefined, { signal });
  }
}

function startFailure(files: ClusterFiles, launched: LaunchedServer): EmbeddedPostgresError {
  const said = launched
    .log()
    .split("\n")
    .flatMap((line) => /(?:FATAL|PANIC|DETAIL|HINT|error|postgres): .*/.exec(line) ?? line.slice(0, 200))
    .filter(Boolean)
    .slice(-4)
    .join(" ");
  return new EmbeddedPostgresError(
    `The database server did not start: ${said}`,
    `Its log is ${files.log}. ${useOwnServer}`,
  );
}
