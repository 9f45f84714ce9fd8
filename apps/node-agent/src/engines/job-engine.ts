import type { RunSpec } from "@attune/contracts/compute/run-spec.ts";
import type { Usable } from "./why-unavailable.ts";

/** What every engine says of itself. */
export interface EngineReport {
  readonly name: string;
  readonly description: string;
  /** What it can do: methods, formats, kinds of runs. */
  readonly supports: readonly string[];
  readonly available: boolean;
  /** Why not and what to do about it; empty when available. */
  readonly unavailableReason: string;
  readonly versions: Readonly<Record<string, string>>;
}

/** How the processes of a run are started; the run's folder, the events' file and the control file come by environment. */
export interface LaunchCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface LaunchRequest {
  readonly spec: RunSpec;
  /** Absolute; holds spec.json. */
  readonly runFolder: string;
  /** How many devices the run has; 0 is the CPU. Of more than one each gets a process of its own. */
  readonly deviceCount: number;
}

/** An engine whose runs are detached processes that write events: training, evaluation, export. */
export interface JobEngine extends Usable {
  readonly name: string;
  /** Probes anew when what it found is older than a minute. */
  report(): Promise<EngineReport>;
  /** @throws AppError when it cannot run such a spec. */
  command(request: LaunchRequest): LaunchCommand;
}
