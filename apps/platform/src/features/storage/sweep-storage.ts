import { and, asc, eq, gt, inArray, lt, sql } from "drizzle-orm";
import { createSweepRecord, type SweepStatus } from "../../infra/sweep-record.ts";
import { type ObjectAddress, removeObject } from "./remove-files.ts";
import { fromNow } from "./repo.ts";
import type { StorageDeps } from "./service.ts";
import { storageObjects } from "./tables.ts";

export interface StorageSweepReport {
  /** Writes whose process is gone, whose objects and rows were removed. */
  readonly abandonedCount: number;
  /** Removals that nobody finished. */
  readonly finishedCount: number;
  /** Temporary files, staged objects and uploads that were never completed. */
  readonly unfinishedCount: number;
  /** Objects that could not be removed this time. */
  readonly failedCount: number;
}

const batchSize = 100;
const everyMs = 60_000;
/** Nothing of a store is listed more often. */
const sweepsPerListing = 60;

/**
 * Removes what crashes left. A write whose process says that it lives is not touched, and one that was given up can no longer
 * become live. Any number of nodes may sweep at once.
 */
export async function sweepStorage(deps: StorageDeps): Promise<StorageSweepReport> {
  const rows = await sweepRows(deps);
  const { removedCount } = await deps.stores.current.sweep({ olderThanMs: deps.policy.unfinishedMs });
  return { ...rows, unfinishedCount: removedCount };
}

export interface RunningSweep {
  stop(): Promise<void>;
  status(): SweepStatus;
}

/** Sweeps every minute, the first time at once. A sweep that fails is followed by the next one. */
export function startStorageSweep(deps: StorageDeps): RunningSweep {
  const record = createSweepRecord("stored objects", everyMs);
  let running = Promise.resolve();
  let count = 0;
  const work = async () => {
    const report = await (count++ % sweepsPerListing === 0 ? sweepStorage(deps) : sweepRows(deps));
    if (report.failedCount > 0) deps.logger.warn(report, "objects could not be removed");
    return report.failedCount === 0;
  };
  const sweep = () =>
    record.run(work).catch((error: unknown) => deps.logger.warn({ error }, "the sweep of the object store failed"));
  const next = () => (running = running.then(sweep));
  void next();
  const timer = setInterval(() => void next(), everyMs).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
    status: () => record.status(),
  };
}

async function sweepRows(deps: StorageDeps): Promise<Omit<StorageSweepReport, "unfinishedCount">> {
  const counts = { abandonedCount: 0, finishedCount: 0, failedCount: 0 };
  for (let batch = await giveUpAbandoned(deps); batch.length > 0; batch = await giveUpAbandoned(deps)) {
    for (const object of batch) counts[(await tryToRemove(deps, object)) ? "abandonedCount" : "failedCount"]++;
  }
  for (let batch = await listMarked(deps); batch.length > 0; batch = await listMarked(deps, batch.at(-1)?.id)) {
    for (const object of batch) counts[(await tryToRemove(deps, object)) ? "finishedCount" : "failedCount"]++;
  }
  return counts;
}

const address = { id: storageObjects.id, store: storageObjects.store, key: storageObjects.key };

/** Writes whose lease has ended. Their rows are marked before their objects go, so that no writer makes them live after all. */
async function giveUpAbandoned({ database: { queries } }: StorageDeps): Promise<ObjectAddress[]> {
  const abandoned = queries
    .select({ id: storageObjects.id })
    .from(storageObjects)
    .where(and(eq(storageObjects.state, "pending"), lt(storageObjects.leasedUntil, sql`now()`)))
    .limit(batchSize)
    // A writer that is just making it live holds the row.
    .for("update", { skipLocked: true });
  return queries
    .update(storageObjects)
    .set({ state: "deleting", updatedAt: sql`now()` })
    .where(inArray(storageObjects.id, abandoned))
    .returning(address);
}

async function listMarked({ database, policy }: StorageDeps, afterId?: string): Promise<ObjectAddress[]> {
  const isOld = lt(storageObjects.updatedAt, fromNow(-policy.removalMs));
  const isNext = afterId === undefined ? undefined : gt(storageObjects.id, afterId);
  return database.queries
    .select(address)
    .from(storageObjects)
    .where(and(eq(storageObjects.state, "deleting"), isOld, isNext))
    .orderBy(asc(storageObjects.id))
    .limit(batchSize);
}

async function tryToRemove(deps: StorageDeps, object: ObjectAddress): Promise<boolean> {
  try {
    await removeObject(deps, object);
    return true;
  } catch (error) {
    deps.logger.warn({ error, objectId: object.id, key: object.key }, "an object could not be removed");
    return false;
  }
}
