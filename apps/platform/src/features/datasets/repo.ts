import { AppError } from "@attune/service-kit/app-error.ts";
import { and, desc, eq, ilike, inArray, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../infra/db/create-database.ts";
import { isUniqueViolation } from "../../infra/db/database-error.ts";
import { datasets } from "./tables.ts";

export type DatasetRow = typeof datasets.$inferSelect;
type NewDatasetRow = typeof datasets.$inferInsert;
/** What is undefined stays as it is. */
export type DatasetChange = { readonly [Column in keyof NewDatasetRow]?: NewDatasetRow[Column] | undefined };

export interface DatasetFilter {
  readonly tenantId: string;
  /** The rights of who asks. */
  readonly allowed: SQL;
  readonly beforeId: string | undefined;
  readonly isDeleted: boolean;
  /** Part of the name, in any case. */
  readonly search: string | undefined;
  readonly limit: number;
}

/** A dataset that is not deleted. */
export async function findDataset(queries: Queries, tenantId: string, id: string): Promise<DatasetRow | undefined> {
  const [row] = await queries
    .select()
    .from(datasets)
    .where(and(eq(datasets.tenantId, tenantId), eq(datasets.id, id), isNull(datasets.deletedAt)));
  return row;
}

/** What rights on datasets depend on, of deleted ones too. */
export async function selectProtectedDatasets(queries: Queries, tenantId: string, ids: readonly string[]) {
  const { id, tenantId: tenant, ownerId, isPrivate } = datasets;
  return queries
    .select({ id, tenantId: tenant, ownerId, isPrivate })
    .from(datasets)
    .where(and(eq(tenant, tenantId), inArray(id, [...ids])));
}

/** A dataset in the trash. */
export async function findDeleted(queries: Queries, tenantId: string, id: string): Promise<DatasetRow | undefined> {
  const [row] = await queries
    .select()
    .from(datasets)
    .where(and(eq(datasets.tenantId, tenantId), eq(datasets.id, id), isNotNull(datasets.deletedAt)));
  return row;
}

/** The newest first. */
export async function selectDatasets(queries: Queries, filter: DatasetFilter): Promise<DatasetRow[]> {
  const { tenantId, allowed, beforeId, isDeleted, search, limit } = filter;
  return queries
    .select()
    .from(datasets)
    .where(
      and(
        eq(datasets.tenantId, tenantId),
        isDeleted ? isNotNull(datasets.deletedAt) : isNull(datasets.deletedAt),
        allowed,
        beforeId === undefined ? undefined : lt(datasets.id, beforeId),
        search === undefined ? undefined : ilike(datasets.name, `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`),
      ),
    )
    .orderBy(desc(datasets.id))
    .limit(limit);
}

/** @throws AppError `DATASET_NAME_TAKEN`. */
export async function insertDataset(queries: Queries, row: NewDatasetRow): Promise<DatasetRow> {
  const [kept] = await refusingTakenName(() => queries.insert(datasets).values(row).returning());
  if (kept === undefined) throw new Error("A dataset that was written did not come back.");
  return kept;
}

/** @throws AppError `VERSION_CONFLICT` when it is no longer of this version, `DATASET_NAME_TAKEN`. */
export async function updateDataset(
  queries: Queries,
  { id, version }: Pick<DatasetRow, "id" | "version">,
  change: DatasetChange,
): Promise<DatasetRow> {
  const [kept] = await refusingTakenName(() =>
    queries
      .update(datasets)
      .set({ ...change, version: version + 1, updatedAt: new Date() })
      .where(and(eq(datasets.id, id), eq(datasets.version, version)))
      .returning(),
  );
  if (kept === undefined) throw new AppError("VERSION_CONFLICT");
  return kept;
}

/** Puts a dataset into the trash: its name is free. Whether it was there. */
export async function markDeleted(queries: Queries, { id }: Pick<DatasetRow, "id">): Promise<boolean> {
  const now = new Date();
  const gone = await queries
    .update(datasets)
    .set({ deletedAt: now, updatedAt: now, version: sql`${datasets.version} + 1` })
    .where(and(eq(datasets.id, id), isNull(datasets.deletedAt)))
    .returning({ id: datasets.id });
  return gone.length > 0;
}

async function refusingTakenName<T>(work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, "datasets_name")) throw new AppError("DATASET_NAME_TAKEN", {}, error);
    throw error;
  }
}
