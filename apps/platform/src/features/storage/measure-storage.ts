import { and, asc, desc, eq, lt, ne, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../infra/db/create-database.ts";
import { tenants } from "../identity/index.ts";
import { fromNow } from "./repo.ts";
import { files, storageObjects } from "./tables.ts";

export interface Usage {
  readonly count: number;
  readonly sizeBytes: number;
}

export interface ObjectUsage extends Usage {
  readonly store: string;
  readonly state: "pending" | "live" | "deleting";
}

export interface KindUsage extends Usage {
  readonly ownerKind: string;
  /** Whether the content lies in the database. */
  readonly isInline: boolean;
}

export interface TenantUsage extends Usage {
  readonly tenantId: string;
  readonly tenantName: string;
}

const sum = (column: SQL | typeof files.sizeBytes | typeof storageObjects.sizeBytes) =>
  sql<number>`coalesce(sum(${column}), 0)::float8`;
const count = sql<number>`count(*)::int`;

/** Objects by store and state; the size of one that is being written is not known. */
export function measureObjects(queries: Queries): Promise<ObjectUsage[]> {
  const { store, state, sizeBytes } = storageObjects;
  return queries
    .select({ store, state, count, sizeBytes: sum(sizeBytes) })
    .from(storageObjects)
    .groupBy(store, state)
    .orderBy(asc(store), asc(state));
}

/** Files by kind of record and place, of all tenants or of one. */
export function measureKinds(queries: Queries, tenantId?: string): Promise<KindUsage[]> {
  const isInline = sql<boolean>`${files.objectId} is null`;
  return queries
    .select({ ownerKind: files.ownerKind, isInline, count, sizeBytes: sum(files.sizeBytes) })
    .from(files)
    .where(tenantId === undefined ? undefined : eq(files.tenantId, tenantId))
    .groupBy(files.ownerKind, isInline)
    .orderBy(asc(files.ownerKind), asc(isInline));
}

/** Tenants by the size of their files, the largest first; those without a file are not among them. */
export function measureTenants(queries: Queries): Promise<TenantUsage[]> {
  const sizeBytes = sum(files.sizeBytes);
  return queries
    .select({ tenantId: tenants.id, tenantName: tenants.name, count, sizeBytes })
    .from(files)
    .innerJoin(tenants, eq(tenants.id, files.tenantId))
    .groupBy(tenants.id)
    .orderBy(desc(sizeBytes), asc(tenants.id));
}

export interface OverdueObjects {
  readonly pending: number;
  readonly deleting: number;
  readonly oldestAt: string | null;
}

/** Writes and removals that began or last moved longer ago. */
export async function measureOverdue(queries: Queries, olderThanMs: number): Promise<OverdueObjects> {
  const { state, updatedAt, createdAt } = storageObjects;
  const since = sql`case when ${state} = 'pending' then ${createdAt} else ${updatedAt} end`;
  const [row] = await queries
    .select({
      pending: sql<number>`count(*) filter (where ${state} = 'pending')::int`,
      deleting: sql<number>`count(*) filter (where ${state} = 'deleting')::int`,
      oldestAt: sql<Date | string | null>`min(${since})`,
    })
    .from(storageObjects)
    .where(and(ne(state, "live"), lt(since, fromNow(-olderThanMs))));
  const { pending = 0, deleting = 0, oldestAt = null } = row ?? {};
  return { pending, deleting, oldestAt: oldestAt === null ? null : new Date(oldestAt).toISOString() };
}

/** What the database says of some live objects of a store: the latest and the oldest ones, since a volume that was exchanged has only either. */
export async function sampleObjects(queries: Queries, store: string, perEnd: number) {
  const columns = { id: storageObjects.id, key: storageObjects.key, sizeBytes: storageObjects.sizeBytes };
  const ends = [asc(storageObjects.id), desc(storageObjects.id)].map((order) =>
    queries
      .select(columns)
      .from(storageObjects)
      .where(and(eq(storageObjects.store, store), eq(storageObjects.state, "live")))
      .orderBy(order)
      .limit(perEnd),
  );
  const rows = (await Promise.all(ends)).flat();
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

/** Whether an object is still to be there. */
export async function isLive(queries: Queries, id: string): Promise<boolean> {
  const [row] = await queries
    .select({ state: storageObjects.state })
    .from(storageObjects)
    .where(eq(storageObjects.id, id));
  return row?.state === "live";
}
