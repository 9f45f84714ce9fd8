import type * as z from "zod";
import type { Transaction } from "../../infra/db/create-database.ts";
import { cancelJob, retryJob } from "./change-job.ts";
import { enqueueJob } from "./enqueue-job.ts";
import type { JobKind, JobRow, NewItem } from "./job-kind.ts";
import type { SettleDeps } from "./repo.ts";

export interface NewJob<TParams, TInput> {
  /** Absent for work of the whole platform. */
  readonly tenantId?: string;
  /** Absent for work that the platform begins itself. */
  readonly createdBy?: string;
  /** Whether only who began it and administrators may know of it. */
  readonly isPrivate?: boolean;
  /** While a job with the same key is open, that one is given and none is made. */
  readonly singletonKey?: string;
  readonly params: TParams;
  /** At least one. */
  readonly items: readonly NewItem<TInput>[];
}

/**
 * Durable background work. Everything happens in the caller's transaction: a job is there exactly if that is committed, and
 * from then on it is worked off, whatever happens to the process.
 */
export interface Jobs {
  enqueue<TParams extends z.ZodType, TInput extends z.ZodType>(
    tx: Transaction,
    kind: JobKind<TParams, TInput>,
    job: NewJob<z.input<TParams>, z.input<TInput>>,
  ): Promise<JobRow>;
  /** @throws AppError `JOB_ENDED`. */
  cancel(tx: Transaction, jobId: string): Promise<JobRow>;
  /**
   * Queues the failed items again, all of them or those that failed for `reason`.
   * @throws AppError `JOB_NOT_ENDED`, `JOB_NOTHING_TO_RETRY`, `JOB_ALREADY_RUNNING`.
   */
  retry(tx: Transaction, jobId: string, reason?: string): Promise<JobRow>;
}

/** `kinds`: every kind of work of the platform. */
export function createJobs(deps: SettleDeps): Jobs {
  return {
    enqueue: enqueueJob,
    cancel: (tx, jobId) => cancelJob(tx, { ...deps, jobId }),
    retry: (tx, jobId, reason) => retryJob(tx, jobId, reason),
  };
}
