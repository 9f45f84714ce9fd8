import type { LaunchCommand } from "../engines/job-engine.ts";
import type { RunEnding } from "./judge-ending.ts";
import type { MappedCause } from "./map-cause.ts";
import type { RunFact } from "./next-run.ts";
import type { StoredRun } from "./stored-run.ts";

export interface RunLook {
  /** Whether no process of the run is left. */
  readonly isGone: boolean;
  /** What is worth knowing meanwhile, where the host tells it; null when all is plain. */
  readonly note?: string | null;
  /** Why the host itself ends the run. */
  readonly cause?: MappedCause;
  /** What a cluster calls it, where that was not known. */
  readonly reference?: string;
}

export type HostEnding = Pick<RunEnding, "exit" | "isRebooted" | "hostCause" | "isLost">;

/** Where the processes of a run are: this machine, or a cluster. */
export interface RunHost {
  /** @returns what the run is known by from now on. @throws Error when it cannot be started. */
  start(run: StoredRun, command: LaunchCommand): Promise<RunFact>;
  look(run: StoredRun): Promise<RunLook>;
  /** Asks the worker to save what it has and end. */
  ask(run: StoredRun): Promise<void>;
  /** Tells all processes to end. */
  terminate(run: StoredRun): Promise<void>;
  /** Ends all processes at once. @returns what lives all the same, in words; undefined when nothing does. */
  kill(run: StoredRun): Promise<string | undefined>;
  /** How it ended, once it is gone. */
  ending(run: StoredRun): Promise<HostEnding>;
}
