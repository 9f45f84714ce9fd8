import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { EmbeddedPostgresError, useOwnServer } from "./embedded-postgres-error.ts";

/** How the server's programs are started. PostgreSQL refuses to run as root. */
export interface ServerAccount {
  /** Program and arguments that stand before the command. */
  readonly prefix: readonly string[];
  /** The account to change to; absent where the process keeps its own. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

// A user namespace in which this user is called nobody. Files stay the user's own, so that it works below /root, too.
const userNamespace = ["unshare", "-U", "--map-user=65534", "--map-group=65534"];

/**
 * The account for the server of `cluster`, a folder that may not exist yet: the caller's own; as root a user namespace or,
 * where the kernel grants none, the account postgres or nobody. A cluster that an account made stays with it.
 * @throws EmbeddedPostgresError when root has no other account to use.
 */
export function chooseServerAccount(cluster: string, uid = process.getuid?.() ?? -1): ServerAccount {
  if (uid !== 0) return { prefix: [] };
  const { uid: owner = 0, gid = 0 } = statSync(cluster, { throwIfNoEntry: false }) ?? {};
  if (owner !== 0) return { prefix: [], owner: { uid: owner, gid } };
  if (canUseNamespace()) return { prefix: userNamespace };
  const account = findUnprivilegedAccount();
  if (account !== undefined) return { prefix: [], owner: account };
  throw new EmbeddedPostgresError(
    "PostgreSQL does not run as root, and there is neither a user namespace nor an account postgres or nobody.",
    `Start as an ordinary user. ${useOwnServer}`,
  );
}

function canUseNamespace(): boolean {
  const [program = "", ...options] = userNamespace;
  return spawnSync(program, [...options, "true"], { stdio: "ignore", timeout: 10_000 }).status === 0;
}

function findUnprivilegedAccount(): { readonly uid: number; readonly gid: number } | undefined {
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const [, , uid, gid] =
    ["postgres", "nobody"].flatMap((name) => accounts.filter((fields) => fields[0] === name))[0] ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
