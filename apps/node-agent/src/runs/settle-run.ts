import { statfs } from "node:fs/promises";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import { readLogTail } from "../process/read-log-tail.ts";
import { writeFileWhole } from "../process/write-file-whole.ts";
import { checkResults, findArtifact } from "./check-results.ts";
import type { MappedCause } from "./map-cause.ts";
import type { RunFact } from "./next-run.ts";
import type { RunHost } from "./run-host.ts";
import type { RunPaths } from "./run-paths.ts";
import type { StoredRun } from "./stored-run.ts";

/**
 * Makes the results of a run whole once its worker is done: scores predictions, for example. An aborted signal breaks it off; then
 * it rejects, unless nothing was to be done, and leaves no results.
 */
export type FinishRun = (run: {
  readonly kind: StoredRun["kind"];
  readonly paths: RunPaths;
  readonly signal: AbortSignal;
}) => Promise<void>;

export interface SettleDeps {
  readonly host: RunHost;
  readonly paths: RunPaths;
  readonly finish: FinishRun;
  readonly logger: Logger;
  /** Aborted when the agent ends; the next one does it again. */
  readonly signal: AbortSignal;
  /** Aborted when the run is stopped; its results are not made whole any more. */
  readonly stopping: AbortSignal;
}

export const keptLogLines = 200;

/**
 * What is known of a run whose processes are gone, after its results were finished and checked: the fact that ends it. What
 * lives on in its name is ended first; undefined and a note when something cannot be.
 */
export async function settleRun(run: StoredRun, deps: SettleDeps): Promise<RunFact> {
  const { host, paths, logger } = deps;
  const obstacle = await host.kill(run);
  if (obstacle !== undefined) return { type: "noted", reason: obstacle };
  const hasResults = run.heard.done === "succeeded" && run.heard.error === null;
  const found = hasResults ? await findProblem(run, deps) : null;
  const isBrokenOff = found === "broken off";
  const problem = isBrokenOff ? null : found;
  const log = await readLogTail(paths.log, { lines: keptLogLines }).catch(() => []);
  if (!hasResults || found !== null) await keepLogTail(paths.logTail, { log, logger });
  const isDiskFull = await hasNoRoom(paths.folder);
  const ending = { ...(await host.ending(run)), log, problem, isBrokenOff, isDiskFull };
  return { type: "gone", ending, at: new Date().toISOString() };
}

const evalResults = "output/eval_results.json";

/** Less than this, in bytes, is no room for what a run writes. */
const leastRoom = 128 * 1024;

const hasNoRoom = (folder: string): Promise<boolean> =>
  statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize < leastRoom,
    () => false,
  );

type ResultDeps = Pick<SettleDeps, "paths" | "finish" | "signal" | "stopping">;

async function findProblem(
  run: StoredRun,
  { paths, finish, signal, stopping }: ResultDeps,
): Promise<MappedCause | "broken off" | null> {
  try {
    const fault = await checkResults(run, paths);
    if (fault !== null) return fault;
    await finish({ kind: run.kind, paths, signal: AbortSignal.any([signal, stopping]) });
    const isComplete = run.kind !== "eval" || (await findArtifact(evalResults, paths)) !== undefined;
    return isComplete ? null : { cause: "engine_failed", message: `It left no ${evalResults}.` };
  } catch (error) {
    // Broken off because the agent ends: the next one does it again.
    signal.throwIfAborted();
    if (stopping.aborted) return "broken off";
    const isFull = (error as NodeJS.ErrnoException).code === "ENOSPC";
    return { cause: isFull ? "disk_full" : "engine_failed", message: (error as Error).message };
  }
}

/** Keeps the last lines of the log of a run that did not succeed, whatever becomes of the log. */
async function keepLogTail(path: string, { log, logger }: { log: readonly string[]; logger: Logger }): Promise<void> {
  await writeFileWhole(path, JSON.stringify(log)).catch((error: unknown) => {
    logger.warn({ error, path }, "The last lines of a log could not be kept; the log itself has them");
  });
}
