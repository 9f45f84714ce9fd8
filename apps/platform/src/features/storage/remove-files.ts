import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Transaction } from "../../infra/db/create-database.ts";
import type { FilesToRemove, StorageDeps } from "./service.ts";
import { files, storageObjects } from "./tables.ts";

export interface Removal {
  /**
   * Removes the objects, once the transaction has been committed; before, and after a rollback, it does nothing. Never
   * throws: what it cannot do, or who does not call it, the sweep does.
   */
  finish(): Promise<void>;
}

export interface ObjectAddress {
  readonly id: string;
  readonly store: string;
  readonly key: string;
}

/** The rows of the files go with the transaction, and their objects are marked. */
export async function removeFiles(
  deps: StorageDeps,
  tx: Transaction,
  { tenantId, fileIds }: FilesToRemove,
): Promise<Removal> {
  if (fileIds.length === 0) return { finish: async () => {} };
  const removed = await tx
    .delete(files)
    .where(and(eq(files.tenantId, tenantId), isOneOf(files.id, fileIds)))
    .returning({ objectId: files.objectId });
  const ids = removed.flatMap(({ objectId }) => objectId ?? []);
  if (ids.length > 0) {
    await tx
      .update(storageObjects)
      .set({ state: "deleting", updatedAt: sql`now()` })
      .where(isOneOf(storageObjects.id, ids));
  }
  await deps.crashPoint("remove: marked");
  return { finish: () => finish(deps, ids) };
}

async function finish(deps: StorageDeps, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  try {
    const { id, store, key } = storageObjects;
    const marked = await deps.database.queries
      .select({ id, store, key })
      .from(storageObjects)
      .where(and(isOneOf(id, ids), eq(storageObjects.state, "deleting")));
    await deps.crashPoint("remove: committed");
    for (const object of marked) await removeObject(deps, object);
  } catch (error) {
    deps.logger.warn({ error, objectIds: ids }, "objects that are to be removed are left to the sweep");
  }
}

/** One parameter, however many ids: a statement takes 65,535. */
const isOneOf = (column: PgColumn, ids: readonly string[]): SQL => sql`${column} = any(${sql.param([...ids])}::uuid[])`;

/** The object, and then its row, so that no object is ever without one. */
export async function removeObject(deps: StorageDeps, { id, store, key }: ObjectAddress): Promise<void> {
  await (await deps.stores.get(store)).delete(key);
  await deps.crashPoint("remove: object gone");
  await deps.database.queries
    .delete(storageObjects)
    .where(and(eq(storageObjects.id, id), eq(storageObjects.state, "deleting")));
  await deps.crashPoint("remove: row gone");
}
