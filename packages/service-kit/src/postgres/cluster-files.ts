import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

/** Where the parts of one embedded server lie. */
export interface ClusterFiles {
  readonly folder: string;
  /** The database cluster, PostgreSQL's own. */
  readonly cluster: string;
  /** Holds one empty file for each user of the server, named by its mark. */
  readonly users: string;
  readonly log: string;
}

export function clusterFilesOf(folder: string): ClusterFiles {
  return {
    folder,
    cluster: join(folder, "cluster"),
    users: join(folder, "users"),
    log: join(folder, "postgres.log"),
  };
}

export const socketPort = 5432;
export const socketName = `.s.PGSQL.${socketPort}`;

// The longest path of a unix socket without its final zero byte: unix(7), and sys/un.h of macOS.
const maxSocketBytes = process.platform === "darwin" ? 103 : 107;

/**
 * Makes the folder of the server's socket: inside the server's own, or in the system's temporary folder where that path is
 * longer than a socket's may be. Only this user may enter it, since the socket asks for no password.
 * @throws EmbeddedPostgresError when another user holds the place.
 */
export function makeSocketFolder({ folder }: ClusterFiles): string {
  const hash = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  const places = [join(folder, "socket"), join(tmpdir(), `attune-${hash}`), `/tmp/attune-${hash}`];
  const path = places.find((place) => Buffer.byteLength(join(place, socketName)) <= maxSocketBytes) ?? places[2] ?? "";
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stat = lstatSync(path);
  const isOurs = stat.isDirectory() && [process.getuid?.(), ownerOf(folder)].includes(stat.uid);
  if (isOurs && (stat.mode & 0o077) === 0) return path;
  throw new EmbeddedPostgresError(
    `The folder ${path} of the database's socket belongs to somebody else, or others may enter it.`,
    "Remove it, or choose a data folder with a shorter path.",
  );
}

function ownerOf(folder: string): number {
  return lstatSync(join(folder)).uid;
}

export interface RunningServer {
  readonly pid: number;
  readonly socketFolder: string;
}

/** What the server wrote about itself into postmaster.pid; undefined while there is none, or not all of it. */
export function readServerFile({ cluster }: ClusterFiles): RunningServer | undefined {
  try {
    const [pid, , , , socketFolder = ""] = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
    return Number(pid) > 0 ? { pid: Number(pid), socketFolder } : undefined;
  } catch {
    return undefined;
  }
}
