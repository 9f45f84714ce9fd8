import { runCauses } from "@attune/contracts/compute/run-causes.ts";
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
  const told = { state: job.state, cause: job.failure?.cause ?? null, hint: job.failure?.hint ?? null };
  const hint = row.cause === null ? null : runCauses[row.cause].hint;
  const isGood = job.state === "succeeded";
  expect({ ...told, job }).toMatchObject({ state: row.state, cause: row.cause, hint });
  expect(typeof job.ended_at).toBe("string");
  expect(isGood || job.state === "stopped" ? "told" : typeof job.reason).toMatch(/told|string/);
  const { log } = agent.store.paths(job.job_id);
  expect(job.log_tail).toEqual(isGood ? [] : await readLogTail(log, { lines: 200 }));
  expect(agent.leases.list().filter(({ holder }) => holder === `job:${job.job_id}`)).toEqual([]);
  expect(listFamily({ runId, leader: undefined })).toEqual([]);
}
