import { type PlatformReasonEntry } from "@attune/contracts/errors/platform-reasons.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { sql } from "drizzle-orm";
import { toAppError } from "../../http/to-problem.ts";
import type { Transaction } from "../../infra/db/create-database.ts";
import { isRetryable } from "../../infra/db/database-error.ts";
import { requireHold } from "./hold.ts";
import { insertItems, moveRunning, nextItemNo, noError } from "./items.ts";
import type { JobOutcome, JobRow, Retries } from "./job-kind.ts";
import { fromNow, settleJob } from "./repo.ts";
import type { ItemRun } from "./run-item.ts";
import { jobItems } from "./tables.ts";
import { tellProgress } from "./tell-job.ts";

const maxDelayMs = 5 * 60_000;
/** What is tried again for every kind. */
const databaseRetries: Retries = { reasons: ["DATABASE_UNAVAILABLE"], maxAttempts: 5, firstDelayMs: 1000 };

/** Ends an item that was worked through, in one transaction with all that it wants written. */
export async function finishItem(run: ItemRun, outcome: JobOutcome | void): Promise<(() => Promise<void>) | void> {
  return inHold(run, async (tx, job) => {
    const { result = null, failure, items = [], commit } = outcome ?? {};
    const after = await commit?.(tx);
    const end = failure === undefined ? { ...noError, state: "succeeded" } : { ...toError(failure), state: "failed" };
    await moveRunning(tx, run.item.id, { ...end, result, endedAt: sql`now()` });
    const state = job.cancelRequestedAt === null ? "queued" : "cancelled";
    if (items.length > 0) await insertItems(tx, { jobId: job.id, firstNo: await nextItemNo(tx, job.id), state }, items);
    return after;
  });
}

/** Queues the item for another attempt, or ends it: failed, or cancelled where somebody wanted that. */
export async function failItem(run: ItemRun, thrown: unknown): Promise<void> {
  const { item, claimed, logger } = run;
  const error = isRetryable(thrown) ? new AppError("DATABASE_UNAVAILABLE", {}, thrown) : toAppError(thrown);
  const delayMs = delayBefore(run, error);
  const isOurs = error.reason === "INTERNAL";
  const told = isOurs
    ? { ...toError(error), detail: `It is in the log under the job ${claimed.job.id}.` }
    : toError(error);
  const end =
    delayMs === undefined
      ? { ...told, state: "failed", endedAt: sql`now()` }
      : { ...told, state: "queued", dueAt: fromNow(delayMs) };
  const isCancelled = await inHold(run, async (tx, job) => {
    await moveRunning(tx, item.id, job.cancelRequestedAt === null ? end : cancelledNow);
    return job.cancelRequestedAt !== null;
  });
  if (isCancelled) return;
  const facts = { jobId: claimed.job.id, itemNo: item.itemNo, attempt: item.attempts, reason: error.reason, delayMs };
  if (isOurs) logger.error({ ...facts, error: error.cause ?? error }, "an item of a job failed");
  else logger.warn(facts, "an item of a job failed");
}

/** After an orderly stop: the attempt does not count. */
export async function putItemBack(run: ItemRun): Promise<void> {
  const back = { state: "queued", attempts: sql`${jobItems.attempts} - 1`, dueAt: sql`now()` };
  await inHold(run, (tx, job) => moveRunning(tx, run.item.id, job.cancelRequestedAt === null ? back : cancelledNow));
}

const cancelledNow = { state: "cancelled", endedAt: sql`now()` };

async function inHold<T>(run: ItemRun, work: (tx: Transaction, job: JobRow) => Promise<T>): Promise<T> {
  const { database, claimed } = run;
  return database.transaction(async (tx) => {
    const before = await requireHold(tx, claimed.hold);
    const result = await work(tx, before);
    tellProgress(tx, before, await settleJob(tx, run, claimed.job.id));
    return result;
  });
}

/** Undefined when there is to be no further attempt. Nodes and items that failed together do not come back together. */
function delayBefore({ kind, item }: ItemRun, { reason }: AppError): number | undefined {
  const retries = [kind.retries, databaseRetries].find((one) => one?.reasons.includes(reason));
  if (retries === undefined || item.attempts >= retries.maxAttempts) return undefined;
  const delayMs = Math.min(retries.firstDelayMs * 2 ** (item.attempts - 1), maxDelayMs);
  return Math.round(delayMs * (0.75 + Math.random() / 4));
}

function toError({ reason, details, entry }: AppError) {
  const { remedy }: Pick<PlatformReasonEntry, "remedy"> = entry;
  const violations = details.violations?.map(({ pointer, message }) => ({
    pointer: storable(pointer),
    message: storable(message),
  }));
  return { reason, detail: storable(details.detail ?? entry.sentence), remedy, violations: violations ?? null };
}

/** The database takes no NUL in its texts; names in a damaged store may hold one. */
const storable = (text: string): string => text.replaceAll("\0", "\uFFFD");
