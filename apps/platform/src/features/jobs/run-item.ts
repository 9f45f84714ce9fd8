import { AppError } from "@attune/service-kit/app-error.ts";
import { sql } from "drizzle-orm";
import type * as z from "zod";
import type { Transaction } from "../../infra/db/create-database.ts";
import type { ClaimedJob } from "./claim-job.ts";
import { failItem, finishItem, putItemBack } from "./end-item.ts";
import { LeaseLost, requireHold } from "./hold.ts";
import { type ItemRow, moveRunning } from "./items.ts";
import type { JobKind, JobOutcome, JobWork } from "./job-kind.ts";
import type { RunDeps, WorkStopped } from "./run-job.ts";
import { jobItems } from "./tables.ts";

export interface ItemRun extends RunDeps {
  readonly kind: JobKind;
  readonly claimed: ClaimedJob;
  readonly item: ItemRow;
}

/** One attempt at one item, and what becomes of it. @throws LeaseLost, and when the database cannot be written. */
export async function runItem(run: ItemRun, signal: AbortSignal): Promise<void> {
  let after: (() => Promise<void>) | void;
  try {
    after = await finishItem(run, await attempt(run, signal));
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    const why = signal.aborted ? (signal.reason as WorkStopped).why : undefined;
    if (why === "lost") throw new LeaseLost();
    if (why === "stopping") await putItemBack(run);
    else await failItem(run, error);
    return;
  }
  // The item has ended; what is left undone here somebody else sees to.
  await after?.().catch((error: unknown) =>
    run.logger.warn({ error, jobId: run.item.jobId, itemNo: run.item.itemNo }, "work after the end of an item failed"),
  );
}

async function attempt(run: ItemRun, signal: AbortSignal): Promise<JobOutcome> {
  const { kind, item, claimed } = run;
  const { id: jobId, tenantId, createdBy } = claimed.job;
  const checkpoints = keepSteps(run, signal);
  const work: JobWork<unknown, unknown> = {
    jobId,
    tenantId,
    createdBy,
    params: read(kind.params, claimed.job.params),
    input: read(kind.input, item.input),
    attempt: item.attempts,
    logger: run.logger.child({ jobId, itemNo: item.itemNo }),
    signal,
    ...checkpoints,
  };
  return kind.run(work);
}

function read(schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value);
  if (!success) throw new AppError("JOB_INPUT_UNREADABLE", {}, error);
  return data;
}

/** Steps keep their results in the item; done ones are not done again. */
function keepSteps(
  { database, claimed, item }: ItemRun,
  signal: AbortSignal,
): Pick<JobWork<unknown, unknown>, "step" | "transaction"> {
  const done: Record<string, unknown> = { ...item.steps };
  const keep = async (tx: Transaction, name: string, value: unknown): Promise<unknown> => {
    const text = JSON.stringify(value ?? null);
    const steps = sql`${jobItems.steps} || jsonb_build_object(${name}::text, ${text}::jsonb)`;
    await moveRunning(tx, item.id, { steps });
    return JSON.parse(text);
  };
  const once = async (name: string, work: () => Promise<unknown>): Promise<unknown> => {
    if (!Object.hasOwn(done, name)) {
      signal.throwIfAborted();
      done[name] = await work();
    }
    return done[name];
  };
  const inTransaction = (work: (tx: Transaction) => Promise<unknown>): Promise<unknown> =>
    database.transaction(async (tx) => {
      await requireHold(tx, claimed.hold);
      return work(tx);
    });
  return {
    step: (name, work) =>
      once(name, async () => {
        const value = await work();
        return inTransaction((tx) => keep(tx, name, value));
      }) as ReturnType<typeof work>,
    transaction: (name, work) =>
      once(name, () => inTransaction(async (tx) => keep(tx, name, await work(tx)))) as ReturnType<typeof work>,
  };
}
