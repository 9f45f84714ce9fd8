import type { RunCauseName } from "@attune/contracts/compute/run-causes.ts";
import type { JobView, RunState } from "@attune/contracts/compute/run-record.ts";
import type { FakeRequest } from "../testing/fake-engine.ts";
import type { TestRuns } from "../testing/start-runs.ts";

/** One row of the truth table: what went wrong, and what the node says then. */
export interface TruthRow {
  readonly fault: string;
  /** How the test brings it about. */
  readonly injected: string;
  readonly state: RunState;
  /** Null where nothing failed. */
  readonly cause: RunCauseName | null;
}

export interface FakeCase extends TruthRow {
  /** Of the fake worker. */
  readonly mode: string;
  readonly request?: FakeRequest;
  /** What is done once the run is as `when` says. */
  readonly act?: (agent: TestRuns, job: JobView) => Promise<unknown>;
  readonly when?: (job: JobView) => boolean;
  /** Part of the reason or of the failure's message. */
  readonly says?: string;
  /** Part of the last lines of the log. */
  readonly logs?: string;
  readonly unreadable?: number;
}

export const isRunning = ({ step }: JobView) => step !== null && step > 0;
export const hasSaidHello = ({ state }: JobView) => state === "running";
export const workerPid = ({ pid }: JobView): number => pid ?? 0;
export const stop = (agent: TestRuns, { job_id }: JobView) => agent.runs.stop(job_id);
export const leaderOf = (agent: TestRuns, { job_id }: JobView): number =>
  agent.store.active().find(({ jobId }) => jobId === job_id)?.leader?.pid ?? 0;
