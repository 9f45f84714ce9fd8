import type { RunCauseName } from "@attune/contracts/compute/run-causes.ts";
import type { LaunchCommand } from "../engines/job-engine.ts";

export interface ClusterJob {
  /** Of the run. The cluster runs at most one job of an id, so a new attempt needs a new id. */
  readonly id: string;
  readonly command: LaunchCommand;
  /** Absolute, on storage that every machine of the cluster has at this same path. */
  readonly runFolder: string;
  /** 0: the CPU. The cluster chooses which; the command must not. */
  readonly gpus: number;
  readonly cpus: number;
  /** Undefined: what the cluster gives by itself. */
  readonly memoryMb: number | undefined;
  /** From a request to stop until the processes are killed; kept to on the machine of the job, also when this agent is gone. */
  readonly graceSeconds: number;
}

/** A job that a cluster has, as its record on this node tells. */
export interface PlacedJob {
  /** What `submit` returned. */
  readonly reference: string;
  readonly runFolder: string;
}

export const clusterStates = [
  "queued",
  "starting",
  "running",
  "succeeded",
  "failed",
  "stopped",
  "lost",
  "unknown",
] as const;

export interface ClusterStatus {
  /**
   * Judged by its processes only: `succeeded` is an exit status of 0, which a run that saved a checkpoint because it was stopped
   * has, too, so the run's own events go first. `stopped`: cancelled, or ended by a signal after a request to stop. `lost`: its
   * machine is gone, or the cluster has forgotten it; whoever gives it up calls `end`, so that the cluster does, too. `unknown`: the cluster cannot tell now; the run keeps the state that it
   * has, shows this reason, and is asked about again.
   */
  readonly state: (typeof clusterStates)[number];
  /** What it waits for or why it ended so; null when that is plain. */
  readonly reason: string | null;
  /** Why it failed, where the cluster knows; otherwise exit status and log tell. */
  readonly cause: RunCauseName | null;
  readonly nodes: readonly string[];
  /** Indices on the first of its machines, where the cluster tells them. */
  readonly gpus: readonly number[];
  readonly exitCode: number | null;
  /** Number of the signal that ended it. */
  readonly signal: number | null;
}

/** Machines of a cluster that take the same jobs. Null is unknown, never 0. */
export interface ClusterPool {
  readonly name: string;
  /** Machines that can run jobs now. */
  readonly nodesUp: number;
  readonly nodesTotal: number;
  readonly gpusTotal: number | null;
  readonly gpusFree: number | null;
  readonly cpusTotal: number | null;
  readonly cpusFree: number | null;
}

export interface SchedulerReport {
  readonly name: string;
  readonly description: string;
  readonly available: boolean;
  /** Why not and what to do about it; empty when available. */
  readonly unavailableReason: string;
  /** Release of the cluster's software and of its API; null while it is not known. */
  readonly version: string | null;
  readonly pools: readonly ClusterPool[];
}

/**
 * Runs the command of a run on other machines. The job's processes find their run folder as local ones do, and beside the
 * worker's files it holds `run.log` and, when the job ended by itself, `exit.json`. Progress comes from the run's own events
 * file; the scheduler says where the run stands when its processes cannot. Truth goes in this order: the `done` or `error` event,
 * `exit.json`, `status`.
 */
export interface Scheduler {
  readonly name: string;
  /** Never throws; what is wrong stands in it. */
  report(signal?: AbortSignal): Promise<SchedulerReport>;
  /**
   * The same id again gives the job that there is, also when the first answer was lost or this agent was restarted.
   * @returns what the cluster calls it.
   * @throws AppError CLUSTER_UNREACHABLE, CLUSTER_NOT_READY, CLUSTER_ACCESS_DENIED (try again later with the same id),
   * CLUSTER_JOB_REFUSED, CLUSTER_INCOMPATIBLE (there is no job).
   */
  submit(job: ClusterJob, signal?: AbortSignal): Promise<string>;
  /**
   * What the cluster calls the job of this id; undefined where it has none.
   * @throws AppError when the cluster cannot be asked.
   */
  find(id: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Never throws because of the cluster: then the state is `unknown`. */
  status(job: PlacedJob, signal?: AbortSignal): Promise<ClusterStatus>;
  /**
   * Asks the processes to save and end, by the control file and SIGTERM; those that still live after the job's grace time are
   * killed by the job itself. A job that waits is cancelled; one that has ended stays as it is. Repeatable.
   * @throws AppError when the cluster cannot be asked; the line in the control file is written all the same.
   */
  stop(job: PlacedJob, signal?: AbortSignal): Promise<void>;
  /** Ends the job without waiting for a checkpoint. Repeatable. @throws AppError when the cluster cannot be asked. */
  end(job: PlacedJob, signal?: AbortSignal): Promise<void>;
}
