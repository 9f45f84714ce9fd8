import { readFile } from "node:fs/promises";
import { isEnded, type JobSummary, type JobView } from "@attune/contracts/compute/run-record.ts";
import { readLogTail } from "../process/read-log-tail.ts";
import type { RunPaths } from "./run-paths.ts";
import { keptLogLines } from "./settle-run.ts";
import type { StoredRun } from "./stored-run.ts";

export interface ViewFacts {
  readonly isStale: boolean;
  /** Why what is known could not be written down; null when it is. */
  readonly saveFault: string | null;
}

/** A run as callers see it, without what makes it long. */
export function toJobSummary(run: StoredRun, { isStale, saveFault }: ViewFacts): JobSummary {
  const { heard } = run;
  const unsaved = saveFault === null ? null : `The node cannot write down what it knows of the job: ${saveFault}`;
  return {
    job_id: run.jobId,
    kind: run.kind,
    engine: run.engine,
    scheduler: run.scheduler,
    state: run.state,
    reason: [run.reason, unsaved].filter((part) => part !== null).join(" ") || null,
    failure: run.failure,
    created_at: run.createdAt,
    started_at: run.startedAt,
    ended_at: run.endedAt,
    phase: heard.phase,
    step: heard.step,
    total_steps: heard.totalSteps,
    eta_seconds: isEnded(run.state) ? null : heard.etaSeconds,
    metrics: heard.metrics,
    progress_at: heard.progressAt,
    is_stale: isStale,
    gpus: run.gpus,
    pid: heard.worker?.pid ?? run.leader?.pid ?? null,
    unreadable_events: heard.unreadable,
    left_out_events: heard.leftOut,
  };
}

/** A run as callers see it. */
export async function toJobView(run: StoredRun, facts: ViewFacts, paths: RunPaths): Promise<JobView> {
  const hasTail = isEnded(run.state) && run.state !== "succeeded";
  return {
    ...toJobSummary(run, facts),
    log_tail: hasTail ? [...(await readKeptTail(paths))] : [],
    checkpoints: run.heard.checkpoints,
    artifact_dir: run.state === "succeeded" ? paths.output : null,
  };
}

async function readKeptTail(paths: RunPaths): Promise<readonly string[]> {
  try {
    return (JSON.parse(await readFile(paths.logTail, "utf8")) as string[]).slice(-keptLogLines);
  } catch {
    return readLogTail(paths.log, { lines: keptLogLines });
  }
}
