import type { JobView } from "@attune/contracts/compute/run-record.ts";
import { expect } from "vitest";
import { listFamily } from "../../process/end-group.ts";
import { readLogTail } from "../../process/read-log-tail.ts";
import type { TestRuns } from "../testing/start-runs.ts";
import type { TruthRow } from "./truth-case.ts";

export interface EndedRun {
  readonly agent: TestRuns;
  readonly job: JobView;
  readonly runId: string;
}

/** Checks of one run that has ended all that the truth table promises. */
export async function checkTruth(row: TruthRow, { agent, job, runId }: EndedRun): Promise<void> {
  const { state, failure } = job;
  const isGood = state === "succeeded";
  expect({ state, cause: failure?.cause ?? null, job }).toMatchObject({ state: row.state, cause: row.cause });
  // A worker may know better what to do than the list of causes; one of the two is always told.
  expect(failure === null ? null : failure.hint.length > 10).toBe(row.cause === null ? null : true);
  expect(typeof job.ended_at).toBe("string");
  expect(isGood || job.state === "stopped" ? "told" : typeof job.reason).toMatch(/told|string/);
  const { log } = agent.store.paths(job.job_id);
  expect(job.log_tail).toEqual(isGood ? [] : await readLogTail(log, { lines: 200 }));
  expect(agent.leases.list().filter(({ holder }) => holder === `job:${job.job_id}`)).toEqual([]);
  expect(listFamily({ runId, leader: undefined })).toEqual([]);
}
