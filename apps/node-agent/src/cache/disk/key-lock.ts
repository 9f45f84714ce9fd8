import { randomUUID } from "node:crypto";
import { link, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { findLiveness, identifyThisProcess, processIdentity } from "./process-identity.ts";
import { codeOf } from "@attune/service-kit/disk/map-disk-errors.ts";
import { onDisk } from "./to-disk-error.ts";

/** The right to work on one entry, of one process at a time. */
export interface KeyLock {
  /** Whether it is still held; nobody takes it from a living process. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

const lockFile = z.object({ owner: processIdentity.nullable() });

const pollMs = 100;
const beatMs = 10_000;
/** A holder that cannot be seen from here is taken to be gone when it did not touch its lock for so long. */
const staleMs = 60_000;

/**
 * Waits for the lock. Lock files are numbered; the one with the highest number counts. It is made by `link`, so it appears
 * with its content and for one process only, and is removed only after there is a higher one: whoever made the highest
 * holds the lock until the file says otherwise or its process is gone.
 * @throws AppError `CACHE_DISK_FAILED`, `CACHE_DISK_FULL`; the reason of `signal`.
 */
export async function takeKeyLock(folder: string, name: string, signal: AbortSignal): Promise<KeyLock> {
  for (;;) {
    signal.throwIfAborted();
    const lock = await tryKeyLock(folder, name);
    if (lock !== undefined) return lock;
    await sleep(pollMs, undefined, { signal });
  }
}

/** The lock, or nothing when somebody holds it. */
export function tryKeyLock(folder: string, name: string): Promise<KeyLock | undefined> {
  return onDisk(async () => {
    const highest = await findHighest(folder, name);
    if (highest > 0 && (await isTaken(join(folder, `${name}.${highest}`)))) return undefined;
    const mine = highest + 1;
    if (!(await claim(folder, `${name}.${mine}`))) return undefined;
    if ((await findHighest(folder, name)) > mine) {
      await rm(join(folder, `${name}.${mine}`), { force: true });
      return undefined;
    }
    for (const lower of await listNumbers(folder, name)) {
      if (lower < mine) await rm(join(folder, `${name}.${lower}`), { force: true });
    }
    return toLock(folder, name, mine);
  });
}

function toLock(folder: string, name: string, number: number): KeyLock {
  const path = join(folder, `${name}.${number}`);
  const beat = setInterval(() => {
    // A beat that cannot be written is seen by others as a stale lock, and by its holder in `isHeld`.
    void utimes(path, new Date(), new Date()).catch(() => {});
  }, beatMs).unref();
  const isHeld = async () => (await findHighest(folder, name)) === number;
  return {
    isHeld: () => onDisk(isHeld),
    release: async () => {
      clearInterval(beat);
      await onDisk(async () => {
        if (await isHeld()) await replaceFile(folder, path, { owner: null });
      });
    },
  };
}

async function isTaken(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  const { data } = lockFile.safeParse(parseJson(text));
  // A file without sense is what a power cut left of one.
  if (data === undefined || data.owner === null) return false;
  const liveness = await findLiveness(data.owner);
  if (liveness !== "unknown") return liveness === "alive";
  const touched = await stat(path).catch(() => undefined);
  return touched !== undefined && Date.now() - touched.mtimeMs < staleMs;
}

async function claim(folder: string, fileName: string): Promise<boolean> {
  const temporary = join(folder, `.${randomUUID()}`);
  try {
    await writeFile(temporary, JSON.stringify({ owner: await identifyThisProcess() }), { flag: "wx", mode: 0o600 });
    await link(temporary, join(folder, fileName));
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function replaceFile(folder: string, path: string, content: unknown): Promise<void> {
  const temporary = join(folder, `.${randomUUID()}`);
  await writeFile(temporary, JSON.stringify(content), { flag: "wx", mode: 0o600 });
  await rename(temporary, path);
}

const findHighest = async (folder: string, name: string): Promise<number> =>
  Math.max(0, ...(await listNumbers(folder, name)));

async function listNumbers(folder: string, name: string): Promise<number[]> {
  const names = await readdir(folder);
  return names
    .filter((found) => found.startsWith(`${name}.`) && /^\d{1,15}$/.test(found.slice(name.length + 1)))
    .map((found) => Number(found.slice(name.length + 1)));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
