import type { SystemStorage } from "@attune/contracts/rest/system.ts";
import type { Queries } from "../../infra/db/create-database.ts";
import {
  findLastVerification,
  type KindUsage,
  measureKinds,
  measureObjects,
  measureOverdue,
  measureTenants,
  type Verification,
} from "../storage/index.ts";

/** Tenants that are listed one by one. */
const maxTenants = 100;

export interface StorageQuestion {
  readonly store: string;
  readonly olderThanSeconds: number;
}

/** What is stored, by state, kind and tenant. */
export async function describeStorage(
  queries: Queries,
  { store, olderThanSeconds }: StorageQuestion,
): Promise<SystemStorage> {
  const objects = await measureObjects(queries);
  const kinds = await measureKinds(queries);
  const tenants = await measureTenants(queries);
  const { pending, deleting, oldestAt } = await measureOverdue(queries, olderThanSeconds * 1000);
  const verification = await findLastVerification(queries);
  const others = tenants.slice(maxTenants);
  return {
    store,
    objects: objects.map(({ sizeBytes, ...object }) => ({ ...object, size_bytes: sizeBytes })),
    by_kind: kinds.map(toWireKind),
    by_tenant: tenants.slice(0, maxTenants).map(({ tenantId, tenantName, count, sizeBytes }) => ({
      tenant_id: tenantId,
      tenant_name: tenantName,
      count,
      size_bytes: sizeBytes,
    })),
    other_tenants: { tenants: others.length, ...sumOf(others) },
    overdue: { older_than_seconds: olderThanSeconds, pending, deleting, oldest_at: oldestAt },
    last_verification: verification === undefined ? null : toWireVerification(verification),
  };
}

export const toWireKind = ({ ownerKind, isInline, count, sizeBytes }: KindUsage) => ({
  owner_kind: ownerKind,
  place: isInline ? ("database" as const) : ("store" as const),
  count,
  size_bytes: sizeBytes,
});

export const sumOf = (usages: readonly { readonly count: number; readonly sizeBytes: number }[]) => ({
  count: usages.reduce((sum, { count }) => sum + count, 0),
  size_bytes: usages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
});

const toWireVerification = (row: Verification) => ({
  started_at: row.startedAt.toISOString(),
  ended_at: row.endedAt?.toISOString() ?? null,
  failure: row.failure,
  object_count: row.objectCount,
  inline_count: row.inlineCount,
  size_bytes: row.sizeBytes,
  fault_count: row.faultCount,
  faults: (row.faults ?? []).map(({ kind, subject, owner, detail }) => ({
    kind,
    subject,
    owner: owner ?? null,
    detail: detail ?? null,
  })),
});
