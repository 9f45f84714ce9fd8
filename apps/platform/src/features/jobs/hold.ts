import { and, eq } from "drizzle-orm";
import type { Transaction } from "../../infra/db/create-database.ts";
import type { JobRow } from "./job-kind.ts";
import { jobs } from "./tables.ts";

/** That this executor, and nobody since, took a job. */
export interface Hold {
  readonly jobId: string;
  readonly executorId: string;
  readonly fence: number;
}

/** The job belongs to somebody else by now, who does the rest; nothing of what was just done may be written. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
  constructor() {
    super("Another executor has taken the job over.");
  }
}

/**
 * Locks the job until the end of the transaction, so that nobody can take it over before that is committed. Every write of an
 * executor begins with it.
 * @throws LeaseLost when somebody else has taken it.
 */
export async function requireHold(tx: Transaction, { jobId, executorId, fence }: Hold): Promise<JobRow> {
  const [job] = await tx
    .select()
    .from(jobs)
    .where(and(eq(jobs.id, jobId), eq(jobs.executorId, executorId), eq(jobs.fence, fence)))
    .for("no key update");
  if (job === undefined) throw new LeaseLost();
  return job;
}
