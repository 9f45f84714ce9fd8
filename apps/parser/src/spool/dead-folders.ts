import { createHash } from "node:crypto";
import { readFile, readlink, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/** A folder of another machine or container is dead when it was not marked as in use for this long. */
const silenceMs = 15 * 60_000;

const ownName = /^spool-(?<place>[0-9a-f]{12})-(?<pid>\d{1,10})-(?<startedAt>\d{1,20})-[0-9A-Za-z]{6}$/;

/** How names of this process's folders begin: where it runs, its id, and when it started, since ids are used again. */
export async function ownFolderPrefix(): Promise<string> {
  return `spool-${await findPlace()}-${process.pid}-${await findStart(process.pid)}-`;
}

/**
 * Which of the names are folders of processes that have ended. Processes of the same process-id space are looked up; those
 * of other machines and containers that share the place cannot be, so the age of their last mark decides.
 */
export async function findDeadFolders(parent: string, names: readonly string[]): Promise<string[]> {
  const place = await findPlace();
  const isDead = async (name: string): Promise<boolean> => {
    const { pid, startedAt, place: madeAt } = ownName.exec(name)?.groups ?? {};
    if (pid === undefined) return false;
    if (madeAt === place) return (await findStart(Number(pid))) !== startedAt;
    const stats = await stat(join(parent, name)).catch(() => undefined);
    return stats !== undefined && Date.now() - stats.mtimeMs > silenceMs;
  };
  const verdicts = await Promise.all(names.map(isDead));
  return names.filter((_, index) => verdicts[index]);
}

async function findPlace(): Promise<string> {
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => hostname());
  const space = await readlink("/proc/self/ns/pid").catch(() => "");
  return createHash("sha256").update(`${boot}\n${space}`).digest("hex").slice(0, 12);
}

/** When a process started, in ticks of its machine; "" when there is none. Without /proc, "0" for every living one. */
async function findStart(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  // The second field is the program's name in parentheses and may hold anything; the start is field 22 (proc(5)).
  if (line !== undefined) return line.slice(line.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  return process.platform !== "linux" && isAlive(pid) ? "0" : "";
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
