import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isEnded } from "@attune/contracts/compute/run-record.ts";
import type { RunSpec } from "@attune/contracts/compute/run-spec.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import { listFamily, runIdVariable } from "../process/end-group.ts";
import { isRunning } from "../process/process-identity.ts";
import { readEnvironment } from "../process/read-processes.ts";
import { writeFileWhole } from "../process/write-file-whole.ts";
import { type RunPaths, runPaths } from "./run-paths.ts";
import { type StoredRun, storedRun } from "./stored-run.ts";

/** The runs of the node, on its disk; those that have not ended are also in memory. */
export interface RunStore {
  readonly root: string;
  paths(jobId: string): RunPaths;
  /** Runs that have not ended, and those whose end could not be written yet. */
  active(): readonly StoredRun[];
  find(jobId: string): Promise<StoredRun | undefined>;
  /** Ids of all runs, the newest first. */
  ids(): readonly string[];
  /** Makes the folder of a run, whole or not at all. @throws Error of the system. */
  add(run: StoredRun, spec: RunSpec): Promise<void>;
  /** Takes the run as it is now, in memory. */
  put(run: StoredRun): void;
  /** Writes what memory has. @throws Error of the system; then the last one that was written stands. */
  save(jobId: string): Promise<void>;
  /**
   * Takes a run that has ended out of the store.
   * @returns what removes its files, in seconds for many gigabytes; what it leaves goes at the next start.
   * @throws Error of the system, as that does
   */
  takeOut(jobId: string): Promise<() => Promise<void>>;
  /** Whether a process of the holder `job:<id>` lives. Answers at once and never throws. */
  isAlive(holder: string): boolean;
  /** The holder whose process this is. */
  holderOf(pid: number): string | undefined;
  /** GPUs of runs under way. */
  claims(): readonly { readonly holder: string; readonly gpus: readonly number[] }[];
}

export const holderOfRun = (jobId: string): string => `job:${jobId}`;

/** Opens the folder of runs, and makes it where it is not there. @throws Error of the system. */
export async function openRunStore(root: string, logger: Logger): Promise<RunStore> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const { active, created } = await readRuns(root, logger);
  const paths = (jobId: string) => runPaths(root, jobId);
  return {
    root,
    paths,
    active: () => [...active.values()],
    find: async (jobId) => {
      if (!created.has(jobId)) return undefined;
      return active.get(jobId) ?? (await readRun(paths(jobId)));
    },
    ids: () =>
      [...created].toSorted(([a, at], [b, bt]) => bt.localeCompare(at) || b.localeCompare(a)).map(([id]) => id),
    add: async (run, spec) => {
      await makeFolder(root, run, spec);
      created.set(run.jobId, run.createdAt);
      active.set(run.jobId, run);
    },
    put: (run) => active.set(run.jobId, run),
    save: inTurnOf(async (jobId) => {
      const run = active.get(jobId);
      if (run === undefined) return;
      await writeFileWhole(paths(jobId).record, JSON.stringify(run));
      if (isEnded(run.state) && active.get(jobId) === run) active.delete(jobId);
    }),
    takeOut: async (jobId) => {
      const leaving = join(root, `${oldPrefix}${createId()}`);
      await rename(paths(jobId).folder, leaving);
      created.delete(jobId);
      return () => rm(leaving, { recursive: true });
    },
    isAlive: (holder) => {
      const run = [...active.values()].find(({ jobId }) => holderOfRun(jobId) === holder);
      return run !== undefined && isRunAlive(run);
    },
    holderOf: (pid) => {
      const entry = readEnvironment(pid).find((text) => text.startsWith(`${runIdVariable}=`));
      const run = [...active.values()].find(({ runId }) => entry === `${runIdVariable}=${runId}`);
      return run && holderOfRun(run.jobId);
    },
    claims: () =>
      [...active.values()]
        .filter(({ state, scheduler }) => state !== "queued" && !isEnded(state) && scheduler === "local")
        .map(({ jobId, gpus }) => ({ holder: holderOfRun(jobId), gpus })),
  };
}

/** One after another for each run: what is written last is what was known last. */
function inTurnOf(write: (jobId: string) => Promise<void>): (jobId: string) => Promise<void> {
  const turns = new Map<string, Promise<void>>();
  return (jobId) => {
    const before = turns.get(jobId) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(() => write(jobId));
    turns.set(jobId, mine);
    const forget = () => void (turns.get(jobId) === mine && turns.delete(jobId));
    mine.then(forget, forget);
    return mine;
  };
}

const isRunAlive = ({ runId, leader, state }: StoredRun): boolean =>
  state !== "queued" &&
  ((leader !== null && isRunning(leader)) || listFamily({ runId, leader: leader ?? undefined }).length > 0);

/** Folders of runs that are not there yet, and of runs that are no more. */
const newPrefix = ".new-";
const oldPrefix = ".old-";

async function makeFolder(root: string, run: StoredRun, spec: RunSpec): Promise<void> {
  const made = runPaths(root, `${newPrefix}${createId()}`);
  try {
    await mkdir(made.output, { recursive: true, mode: 0o700 });
    await writeFileWhole(made.spec, JSON.stringify(spec), 0o400);
    for (const path of [made.events, made.control, made.log]) await (await open(path, "a", 0o600)).close();
    await writeFileWhole(made.record, JSON.stringify(run));
    await rename(made.folder, join(root, run.jobId));
  } catch (error) {
    await rm(made.folder, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

async function readRuns(root: string, logger: Logger) {
  const active = new Map<string, StoredRun>();
  const created = new Map<string, string>();
  for (const name of await readdir(root)) {
    if (name.startsWith(newPrefix) || name.startsWith(oldPrefix)) {
      await rm(join(root, name), { recursive: true, force: true }).catch((error: unknown) => {
        logger.error(
          { error, folder: name },
          "What is left of a run that is none cannot be removed; the next start tries again",
        );
      });
    } else {
      const run = await readRun(runPaths(root, name)).catch((error: unknown) => {
        logger.error({ error, run: name }, "The record of a run cannot be read; its folder is left as it is");
        return undefined;
      });
      if (run === undefined) continue;
      created.set(run.jobId, run.createdAt);
      if (!isEnded(run.state)) active.set(run.jobId, run);
    }
  }
  return { active, created };
}

async function readRun(paths: RunPaths): Promise<StoredRun | undefined> {
  const text = await readFile(paths.record, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  return text === undefined ? undefined : storedRun.parse(JSON.parse(text));
}
