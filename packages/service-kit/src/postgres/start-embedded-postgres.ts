import { randomBytes } from "node:crypto";
import { chownSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { type ClusterFiles, clusterFilesOf, makeSocketFolder } from "./cluster-files.ts";
import { endServer, findServer } from "./find-server.ts";
import { joinOrLaunch } from "./join-or-launch.ts";
import { makeCluster } from "./make-cluster.ts";
import { markOf } from "./process-mark.ts";
import { chooseServerAccount } from "./server-account.ts";
import { findServerBinaries } from "./server-binaries.ts";
import { databaseName, databaseUrlOf } from "./server-url.ts";
import { joinServer, leaveServer } from "./server-users.ts";

export interface EmbeddedPostgresOptions {
  /** Holds the database and all that belongs to it; made when missing. */
  readonly folder: string;
  /** Settings of postgresql.conf. A server that runs already keeps its own. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Hears in a sentence what takes time. */
  readonly log?: (line: string) => void;
  /** The process that the server is needed for; this one when absent. Its entry stands once, however many enter it. */
  readonly userPid?: number;
  readonly signal?: AbortSignal;
}

export interface EmbeddedPostgres {
  /** Of the database `attune`, for any client that follows libpq's URLs; the socket stands in its `host` parameter. */
  readonly url: string;
  readonly pid: number;
  /** Whether the server ran already. */
  readonly isAdopted: boolean;
  /** Ends the server, unless another program has joined it; resolves when it is gone. */
  stop(): Promise<void>;
}

/**
 * Runs a PostgreSQL server of this machine's own, with its data in `folder`, reachable through a unix socket only. A server
 * that already runs there is joined; it ends when the last program that joined it stops or dies.
 * @throws EmbeddedPostgresError saying why there is none and what to do.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = resolve(options.folder);
  const files = clusterFilesOf(folder);
  const { initdb, postgres } = findServerBinaries();
  const account = chooseServerAccount(files.cluster);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (account.owner !== undefined) chownSync(folder, account.owner.uid, account.owner.gid);
  const user = userOf(options.userPid);
  await joinServer(files, user);
  try {
    await makeCluster(files, { initdb, account }, options.signal);
    const socketFolder = makeSocketFolder(files);
    if (account.owner !== undefined) chownSync(socketFolder, account.owner.uid, account.owner.gid);
    const launch = { postgres, account, socketFolder, settings: options.settings ?? {} };
    const { server, isAdopted } = await joinOrLaunch(files, launch, { ...options, databaseName });
    return { url: databaseUrlOf(server, databaseName), pid: server.pid, isAdopted, stop: () => leave(files, user) };
  } catch (error) {
    await leave(files, user);
    throw error;
  }
}

/** Takes off the entry that `userPid` made, and ends the server if it was the last one. Does nothing when there is none. */
export async function stopEmbeddedPostgres(folder: string, userPid: number): Promise<void> {
  await leave(clusterFilesOf(resolve(folder)), userOf(userPid));
}

function userOf(userPid: number | undefined): string {
  return userPid === undefined ? `${markOf(process.pid)}-${randomBytes(6).toString("hex")}` : markOf(userPid);
}

async function leave(files: ClusterFiles, user: string): Promise<void> {
  if (!leaveServer(files, user)) return;
  const server = findServer(files);
  if (server !== undefined) await endServer(server);
}
