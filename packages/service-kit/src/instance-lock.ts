import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isMarkAlive, markOf } from "./postgres/process-mark.ts";

export interface InstanceLock {
  release(): void;
}

/** Another process has the lock; `pid` is its number. */
export class LockedError extends Error {
  override readonly name = "LockedError";
  readonly pid: number;

  constructor(path: string, pid: number) {
    super(`Process ${pid} holds ${path}.`);
    this.pid = pid;
  }
}

/**
 * Takes the lock file for the life of this process. One that a killed process left is taken over; of several that try, one
 * succeeds.
 * @throws LockedError when a living process has it.
 */
export async function takeLock(path: string): Promise<InstanceLock> {
  const mark = markOf(process.pid);
  for (;;) {
    if (makeLock(path, mark)) return { release: () => releaseLock(path, mark) };
    const holder = findHolder(path);
    if (holder !== undefined && isMarkAlive(holder)) throw new LockedError(path, Number(holder.split("-")[0]));
    if (holder !== undefined) await takeOver(path, holder);
  }
}

/** The process that has the lock; undefined when none does. */
export function findLockPid(path: string): number | undefined {
  const holder = findHolder(path);
  return holder !== undefined && isMarkAlive(holder) ? Number(holder.split("-")[0]) : undefined;
}

// The file appears with its content: a lock without a holder's mark cannot be told from one that is being written.
function makeLock(path: string, mark: string): boolean {
  const own = `${path}.${mark}-${randomBytes(4).toString("hex")}`;
  writeFileSync(own, mark);
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function findHolder(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

// Under a lock of its own, so that nobody removes what another has just taken over.
async function takeOver(path: string, deadHolder: string): Promise<void> {
  try {
    const takeover = await takeLock(`${path}.takeover`);
    try {
      if (findHolder(path) === deadHolder) rmSync(path);
    } finally {
      takeover.release();
    }
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    await sleep(20);
  }
}

function releaseLock(path: string, mark: string): void {
  if (findHolder(path) === mark) rmSync(path, { force: true });
}
