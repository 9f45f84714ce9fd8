import { and, asc, eq, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Operation } from "../../http/route-binding.ts";
import type { Transaction } from "../../infra/db/create-database.ts";
import { defineJobKind, type Jobs, type JobSchedule } from "../jobs/index.ts";
import type { Storage } from "../storage/index.ts";
import { purgeDataset } from "./purge-dataset.ts";
import type { DatasetRow } from "./repo.ts";
import { datasets } from "./tables.ts";

export interface TrashDeps {
  readonly storage: Pick<Storage, "removeFiles">;
  readonly appendOperation: (tx: Transaction, operation: Operation) => Promise<void>;
}

/** Removes datasets for good that have been in the trash for long enough; one item a dataset. */
export function createTrashPurge({ storage, appendOperation }: TrashDeps) {
  return defineJobKind({
    name: "purge_datasets",
    params: z.strictObject({ trash_days: z.int().positive() }),
    input: z.strictObject({ dataset_id: z.uuid() }),
    retries: { reasons: ["STORAGE_UNAVAILABLE"], maxAttempts: 5, firstDelayMs: 5000 },
    run: async ({ jobId, params, input }) => ({
      commit: async (tx) => {
        const [dataset] = await tx
          .select()
          .from(datasets)
          .where(and(eq(datasets.id, input.dataset_id), isOverdue(params.trash_days)))
          .for("update");
        // Somebody took it out of the trash in the meantime, or it is gone.
        if (dataset === undefined) return undefined;
        const { versionCount, fileCount, finish } = await purgeDataset(tx, storage, dataset);
        await appendOperation(tx, toOperation(dataset, jobId, { versions: versionCount, files: fileCount }));
        return finish;
      },
    }),
  });
}

type TrashPurge = ReturnType<typeof createTrashPurge>;

const everyMs = 3_600_000;
/** What remains is for the next time. */
const datasetsPerJob = 5000;

/** Looks every hour for datasets that are due, and makes one job for each tenant that has some. */
export function scheduleTrashPurge(jobs: Jobs, kind: TrashPurge, trashDays: number): JobSchedule {
  return {
    name: kind.name,
    everyMs,
    enqueue: async (tx) => {
      const { id, name, tenantId } = datasets;
      const due = await tx
        .select({ id, name, tenantId })
        .from(datasets)
        .where(isOverdue(trashDays))
        .orderBy(asc(datasets.deletedAt))
        .limit(datasetsPerJob);
      for (const [tenant, rows] of Map.groupBy(due, (row) => row.tenantId)) {
        await jobs.enqueue(tx, kind, {
          tenantId: tenant,
          // Names of private datasets stand in it.
          isPrivate: true,
          singletonKey: `${kind.name} ${tenant}`,
          params: { trash_days: trashDays },
          items: rows.map((row) => ({ subject: row.name, input: { dataset_id: row.id } })),
        });
      }
    },
  };
}

const isOverdue = (trashDays: number): SQL | undefined =>
  and(isNotNull(datasets.deletedAt), lt(datasets.deletedAt, sql`now() - ${trashDays} * interval '1 day'`));

function toOperation(
  { id, tenantId, name, size, recordCount, deletedAt }: DatasetRow,
  jobId: string,
  counts: Readonly<Record<string, number>>,
): Operation {
  return {
    tenantId,
    userId: undefined,
    actor: "platform",
    credentialId: undefined,
    action: "purgeDataset",
    resourceKind: "dataset",
    resourceId: id,
    details: { name, size, record_count: recordCount, deleted_at: deletedAt?.toISOString(), ...counts },
    outcome: "succeeded",
    reason: undefined,
    ip: "",
    // The job stands where a request would.
    requestId: jobId,
  };
}
