import { listOperations, listPlatformOperations, type operationSchema } from "@attune/contracts/rest/operation-logs.ts";
import { and, desc, eq, lt } from "drizzle-orm";
import type * as z from "zod";
import { bindRoute, type RouteBinding } from "../../http/route-binding.ts";
import type { Queries } from "../../infra/db/create-database.ts";
import { fromCursor, type Page, toNumber, toPage } from "../../infra/db/cursor.ts";
import { platformChain } from "./append-operation.ts";
import { operationLogs } from "./tables.ts";

export const auditRoutes: readonly RouteBinding[] = [
  bindRoute(listOperations, async ({ queries, tenantId, query }) => ({
    body: await listLines(queries, tenantId, query),
  })),
  bindRoute(listPlatformOperations, async ({ queries, query }) => ({
    body: await listLines(queries, platformChain, query),
  })),
];

type Filters = z.output<(typeof listOperations)["query"]>;

async function listLines(
  queries: Queries,
  chain: string,
  filters: Filters,
): Promise<Page<z.input<typeof operationSchema>>> {
  const before = fromCursor(filters.cursor, 1);
  const rows = await queries
    .select()
    .from(operationLogs)
    .where(
      and(
        eq(operationLogs.chain, chain),
        before === undefined ? undefined : lt(operationLogs.seq, toNumber(before[0], Number.MAX_SAFE_INTEGER)),
        filters.user_id === undefined ? undefined : eq(operationLogs.userId, filters.user_id),
        filters.action === undefined ? undefined : eq(operationLogs.action, filters.action),
        filters.resource_kind === undefined ? undefined : eq(operationLogs.resourceKind, filters.resource_kind),
        filters.resource_id === undefined ? undefined : eq(operationLogs.resourceId, filters.resource_id),
        filters.outcome === undefined ? undefined : eq(operationLogs.outcome, filters.outcome),
      ),
    )
    .orderBy(desc(operationLogs.seq))
    .limit(filters.limit + 1);
  return toPage(rows.map(toWire), filters.limit, ({ seq }) => [seq]);
}

const toWire = (row: typeof operationLogs.$inferSelect) => ({
  seq: row.seq,
  at: row.at.toISOString(),
  user_id: row.userId,
  actor: row.actor,
  action: row.action,
  resource_kind: row.resourceKind,
  resource_id: row.resourceId,
  outcome: row.outcome,
  reason: row.reason,
  details: row.details,
  ip: row.ip,
  request_id: row.requestId,
  hash: row.hash.toString("hex"),
});
