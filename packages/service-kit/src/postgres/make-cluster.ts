import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { ClusterFiles } from "./cluster-files.ts";
import { EmbeddedPostgresError, useOwnServer } from "./embedded-postgres-error.ts";
import { isMarkAlive, markOf } from "./process-mark.ts";
import type { ServerAccount } from "./server-account.ts";
import { serverEnvironment } from "./server-environment.ts";
import { roleName } from "./server-url.ts";

// What initdb needs to be told about text: bytes of UTF-8 in the order of code points, the same on every machine.
const clusterOptions = [
  "--username",
  roleName,
  "--auth=trust",
  "--encoding=UTF8",
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
  `--locale=${process.platform === "linux" ? "C.UTF-8" : "C"}`,
  "--data-checksums",
  "--no-instructions",
];

/**
 * Makes the database cluster unless there is one. It grows under a name of this process and is then renamed, so that
 * neither a kill nor another starter leaves half of one.
 * @throws EmbeddedPostgresError with what initdb said.
 */
export async function makeCluster(
  { folder, cluster }: ClusterFiles,
  { initdb, account }: { readonly initdb: string; readonly account: ServerAccount },
  signal: AbortSignal | undefined,
): Promise<void> {
  removeScraps(cluster);
  if (existsSync(join(cluster, "PG_VERSION"))) return;
  const scratch = `${cluster}.${markOf(process.pid)}-${randomBytes(6).toString("hex")}`;
  mkdirSync(scratch, { mode: 0o700 });
  if (account.owner !== undefined) chownSync(scratch, account.owner.uid, account.owner.gid);
  try {
    await runInitdb([...account.prefix, initdb, "-D", scratch, ...clusterOptions], { folder, account, signal });
    giveName(scratch, cluster);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

// A starter that was killed leaves its half-made cluster.
function removeScraps(cluster: string): void {
  const prefix = `${basename(cluster)}.`;
  for (const name of readdirSync(join(cluster, ".."))) {
    const isScrap = name.startsWith(prefix) && !isMarkAlive(name.slice(prefix.length));
    if (isScrap) rmSync(join(cluster, "..", name), { recursive: true, force: true });
  }
}

function giveName(scratch: string, cluster: string): void {
  try {
    renameSync(scratch, cluster);
  } catch (cause) {
    if (existsSync(join(cluster, "PG_VERSION"))) return; // another starter was quicker
    throw new EmbeddedPostgresError(
      `The folder ${cluster} is in use, but it holds no database.`,
      "Move what is in it elsewhere, or choose another data folder.",
      cause,
    );
  }
}

interface InitdbContext {
  readonly folder: string;
  readonly account: ServerAccount;
  readonly signal: AbortSignal | undefined;
}

function runInitdb(command: readonly string[], { folder, account, signal }: InitdbContext): Promise<void> {
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown): void =>
      reject(new EmbeddedPostgresError(`The database could not be created in ${folder}: ${why}`, remedy, cause));
    const child = spawn(program, args, {
      cwd: folder,
      env: serverEnvironment,
      stdio: ["ignore", "ignore", "pipe"],
      ...account.owner,
      ...(signal && { signal }),
    });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2000);
    });
    child.once("error", (error) => fail(error.message, error));
    child.once("close", (code, killed) => {
      if (code === 0) resolve();
      else fail(said.trim().replaceAll("\n", " ") || `initdb ended with ${code ?? killed}`);
    });
  });
}

const remedy = `See that the folder is writable and its disk has 100 MB free. ${useOwnServer}`;
