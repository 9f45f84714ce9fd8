import { AppError } from "@attune/service-kit/app-error.ts";
import type { ModelKind } from "@attune/contracts/rest/models.ts";
import { and, asc, desc, eq, gt, ilike, inArray, isNotNull, isNull, lt, not, type SQL } from "drizzle-orm";
import type { Queries } from "../../infra/db/create-database.ts";
import { isUniqueViolation } from "../../infra/db/database-error.ts";
import { models } from "./tables.ts";

export type ModelRow = typeof models.$inferSelect;
export type NewModelRow = typeof models.$inferInsert;
/** What is undefined stays as it is. */
export type ModelChange = { readonly [Column in keyof NewModelRow]?: NewModelRow[Column] | undefined };

export interface ModelFilter {
  readonly tenantId: string;
  /** The rights of who asks. */
  readonly allowed: SQL;
  readonly beforeId: string | undefined;
  readonly kind: ModelKind | undefined;
  readonly canTrain: boolean | undefined;
  /** Part of the name, in any case. */
  readonly search: string | undefined;
  readonly limit: number;
}

const live = (tenantId: string, id: string): SQL | undefined =>
  and(eq(models.tenantId, tenantId), eq(models.id, id), isNull(models.deletedAt));

/** A model that is not deleted. */
export async function findModel(queries: Queries, tenantId: string, id: string): Promise<ModelRow | undefined> {
  const [row] = await queries.select().from(models).where(live(tenantId, id));
  return row;
}

/** What rights on models depend on, of deleted ones too. */
export async function selectProtectedModels(queries: Queries, tenantId: string, ids: readonly string[]) {
  const { id, tenantId: tenant, ownerId, isPrivate } = models;
  return queries
    .select({ id, tenantId: tenant, ownerId, isPrivate })
    .from(models)
    .where(and(eq(tenant, tenantId), inArray(id, [...ids])));
}

/** Models that are not deleted, the newest first. */
export async function selectModels(queries: Queries, filter: ModelFilter): Promise<ModelRow[]> {
  const { tenantId, allowed, beforeId, kind, canTrain, search, limit } = filter;
  const trainable = and(eq(models.kind, "base"), isNotNull(models.path)) as SQL;
  return queries
    .select()
    .from(models)
    .where(
      and(
        eq(models.tenantId, tenantId),
        isNull(models.deletedAt),
        allowed,
        beforeId === undefined ? undefined : lt(models.id, beforeId),
        kind === undefined ? undefined : eq(models.kind, kind),
        canTrain === undefined ? undefined : canTrain ? trainable : not(trainable),
        search === undefined ? undefined : ilike(models.name, `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`),
      ),
    )
    .orderBy(desc(models.id))
    .limit(limit);
}

/** @throws AppError `MODEL_NAME_TAKEN`. */
export async function insertModel(queries: Queries, row: NewModelRow): Promise<ModelRow> {
  const [kept] = await refusingTakenName(() => queries.insert(models).values(row).returning());
  if (kept === undefined) throw new Error("A model that was written did not come back.");
  return kept;
}

/** @throws AppError `VERSION_CONFLICT` when it is no longer of this version, `MODEL_NAME_TAKEN`. */
export async function updateModel(
  queries: Queries,
  { id, tenantId, version }: Pick<ModelRow, "id" | "tenantId" | "version">,
  change: ModelChange,
): Promise<ModelRow> {
  const [kept] = await refusingTakenName(() =>
    queries
      .update(models)
      .set({ ...change, version: version + 1, updatedAt: new Date() })
      .where(and(live(tenantId, id), eq(models.version, version)))
      .returning(),
  );
  if (kept === undefined) throw new AppError("VERSION_CONFLICT");
  return kept;
}

/** Deletes softly: the name is free, the secret is gone. Whether it was there. */
export async function markDeleted(queries: Queries, tenantId: string, id: string): Promise<boolean> {
  const now = new Date();
  const gone = await queries
    .update(models)
    .set({ deletedAt: now, updatedAt: now, sealedSecret: null })
    .where(live(tenantId, id))
    .returning({ id: models.id });
  return gone.length > 0;
}

/** Models with a secret, after an id, in the order of their ids; locked until the transaction ends. */
export async function lockModelsWithSecret(queries: Queries, afterId: string | undefined): Promise<ModelRow[]> {
  return queries
    .select()
    .from(models)
    .where(and(isNotNull(models.sealedSecret), afterId === undefined ? undefined : gt(models.id, afterId)))
    .orderBy(asc(models.id))
    .limit(100)
    .for("update");
}

/** Puts a secret sealed anew in the place of the same one; this is no edit, so the version stays. */
export async function replaceSealedSecret(queries: Queries, id: string, sealedSecret: string): Promise<void> {
  await queries.update(models).set({ sealedSecret }).where(eq(models.id, id));
}

async function refusingTakenName<T>(work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, "models_name")) throw new AppError("MODEL_NAME_TAKEN", {}, error);
    throw error;
  }
}
