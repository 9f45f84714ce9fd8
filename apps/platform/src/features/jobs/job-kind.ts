import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { AppError, Reason } from "@attune/service-kit/app-error.ts";
import type * as z from "zod";
import type { Transaction } from "../../infra/db/create-database.ts";
import type { jobs } from "./tables.ts";

export type JobRow = typeof jobs.$inferSelect;

export interface Retries {
  /** Failures that pass by themselves. Those of the platform's own database are always among them. */
  readonly reasons: readonly Reason[];
  /** Of one item, the first one included. */
  readonly maxAttempts: number;
  /** Before the second attempt; doubled before each one after. */
  readonly firstDelayMs: number;
}

/**
 * One kind of background work: what its jobs and their items are given, and what is done for one item. Both are kept as JSON
 * and read anew when the work begins, perhaps by a later version of the platform.
 */
export interface JobKind<TParams extends z.ZodType = z.ZodType, TInput extends z.ZodType = z.ZodType> {
  /** Unique; kept with every job, so it never changes. */
  readonly name: string;
  /** What all items of a job share. */
  readonly params: TParams;
  readonly input: TInput;
  /** Items of one job that are under way at once; 1 unless given. */
  readonly itemsAtOnce?: number;
  readonly retries?: Retries;
  /**
   * Does one item. It may be called again for the same item: after a failure that passes, and after the process ended. What
   * is written by `outcome.commit` and by `work.transaction` is there exactly once; everything else must be harmless twice.
   */
  run(work: JobWork<z.output<TParams>, z.output<TInput>>): Promise<JobOutcome<z.input<TInput>>>;
  /** Called in the transaction in which the last open item ends, and again when that happens after a retry. */
  whenEnded?(tx: Transaction, job: JobRow): Promise<void>;
}

export interface JobWork<TParams, TInput> {
  readonly jobId: string;
  /** Null for work of the whole platform. */
  readonly tenantId: string | null;
  /** Null for work that the platform began itself. */
  readonly createdBy: string | null;
  readonly params: TParams;
  readonly input: TInput;
  /** From 1 on. */
  readonly attempt: number;
  readonly logger: Logger;
  /** Aborted when the job is cancelled, the platform stops, or another node has taken the job over. */
  readonly signal: AbortSignal;
  /**
   * Keeps the result of `work` under a name that is unique in the item, and gives the kept one when the item is run again.
   * A process that ends before the result is kept repeats the step. Results are JSON, and small.
   */
  readonly step: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** The same for work on the database, which is done exactly once. */
  readonly transaction: <T>(name: string, work: (tx: Transaction) => Promise<T>) => Promise<T>;
}

export interface JobOutcome<TInput = unknown> {
  /** What is told of the item; small. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** The item was worked through and is failed all the same, with its result. */
  readonly failure?: AppError;
  /** More items, there from the moment this one has ended. */
  readonly items?: readonly NewItem<TInput>[];
  /** Runs in the transaction that ends the item; what it gives runs after the commit, and not if the process ends then. */
  readonly commit?: (tx: Transaction) => Promise<(() => Promise<void>) | void>;
}

export interface NewItem<TInput> {
  /** What the work is done on, in words for people. */
  readonly subject: string;
  readonly input: TInput;
}

/** Checks the form of a kind and keeps its types. */
export function defineJobKind<TParams extends z.ZodType, TInput extends z.ZodType>(
  kind: JobKind<TParams, TInput>,
): JobKind<TParams, TInput> {
  return kind;
}

/** Work that comes again and again, begun by whichever node is first. */
export interface JobSchedule {
  /** Unique; kept, so it never changes. */
  readonly name: string;
  readonly everyMs: number;
  /** Enqueues what there is to do, in the transaction that sets the next time. */
  readonly enqueue: (tx: Transaction) => Promise<void>;
}
