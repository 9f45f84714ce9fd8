import { join } from "node:path";
import { type EventPaths, eventPaths } from "../process/bound-events.ts";

/** The files of one run; its folder is named by the job's id. */
export interface RunPaths extends EventPaths {
  readonly folder: string;
  /** What was asked for; never changes. */
  readonly spec: string;
  /** Lines to the worker, appended. */
  readonly control: string;
  /** Output of all its processes. */
  readonly log: string;
  /** What the agent knows of it. */
  readonly record: string;
  /** How its process ended; written by the launcher. */
  readonly exit: string;
  /** Who its launcher is; written by that before anything is started. */
  readonly launcher: string;
  /** The last lines of the log of a run that did not succeed. */
  readonly logTail: string;
  readonly output: string;
}

export const runPaths = (root: string, jobId: string): RunPaths => {
  const folder = join(root, jobId);
  return {
    folder,
    spec: join(folder, "spec.json"),
    ...eventPaths(folder),
    control: join(folder, "control.ndjson"),
    log: join(folder, "run.log"),
    record: join(folder, "run.json"),
    exit: join(folder, "exit.json"),
    launcher: join(folder, "launcher.json"),
    logTail: join(folder, "log-tail.json"),
    output: join(folder, "output"),
  };
};
