import type { LaunchCommand } from "../engines/job-engine.ts";

export interface ClusterJob {
  readonly id: string;
  readonly command: LaunchCommand;
  /** On storage that every machine of the cluster sees. */
  readonly runFolder: string;
  readonly gpus: number;
  readonly cpus: number;
  readonly memoryMb: number | undefined;
  readonly graceSeconds: number;
}

export interface ClusterStatus {
  readonly state: "queued" | "starting" | "running" | "succeeded" | "failed" | "stopped" | "lost";
  /** What it waits for or why it ended so; null when that is plain. */
  readonly reason: string | null;
  readonly nodes: readonly string[];
  readonly gpus: readonly number[];
  readonly exitCode: number | null;
  readonly signal: number | null;
}

export interface SchedulerReport {
  readonly name: string;
  readonly description: string;
  readonly available: boolean;
  readonly unavailableReason: string;
}

/**
 * Runs the command of a run on other machines. Progress comes from the run's own events file; the scheduler says where the
 * run stands when its processes cannot.
 */
export interface Scheduler {
  readonly name: string;
  report(): Promise<SchedulerReport>;
  /** The same id again gives the job that there is. @returns what the cluster calls it. */
  submit(job: ClusterJob): Promise<string>;
  status(reference: string): Promise<ClusterStatus>;
  /** Asks the processes to end (SIGTERM), and ends them when the grace time has passed. */
  stop(reference: string): Promise<void>;
}
