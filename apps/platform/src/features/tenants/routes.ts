import { createTenant, getTenant, listTenants, renameTenant } from "@attune/contracts/rest/tenants.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import { and, asc, eq, gt } from "drizzle-orm";
import { etagOf, versionOf } from "../../http/etag.ts";
import { bindRoute, type RequestContext, type RouteBinding } from "../../http/route-binding.ts";
import type { Queries } from "../../infra/db/create-database.ts";
import { fromCursor, toId, toPage } from "../../infra/db/cursor.ts";
import { isUniqueViolation } from "../../infra/db/database-error.ts";
import { addMember, tenants } from "../identity/index.ts";

export const tenantRoutes: readonly RouteBinding[] = [
  bindRoute(listTenants, async ({ queries, query }) => {
    const after = fromCursor(query.cursor, 1);
    const rows = await queries
      .select()
      .from(tenants)
      .where(after === undefined ? undefined : gt(tenants.id, toId(after[0])))
      .orderBy(asc(tenants.id))
      .limit(query.limit + 1);
    return { body: toPage(rows.map(toWire), query.limit, ({ id }) => [id]) };
  }),
  bindRoute(createTenant, create),
  bindRoute(getTenant, async ({ queries, tenantId }) => {
    const tenant = await getOne(queries, tenantId);
    return { body: tenant, headers: { etag: etagOf(tenant.version) } };
  }),
  bindRoute(renameTenant, rename),
];

async function create({ queries, body, concerns }: RequestContext<typeof createTenant>) {
  const { name, owner_email: email, owner_display_name: displayName } = body;
  const row = { id: createId(), name, createdAt: new Date() };
  await refusingTakenName(() => queries.insert(tenants).values(row));
  const { oneTimePassword } = await addMember(queries, row.id, { email, displayName, role: "owner" });
  concerns({ resourceKind: "tenant", resourceId: row.id, details: { name, owner: email } });
  return { body: { tenant: await getOne(queries, row.id), one_time_password: oneTimePassword } };
}

async function rename({ queries, tenantId, body, ifMatch, concerns }: RequestContext<typeof renameTenant>) {
  const version = versionOf(ifMatch);
  const before = await getOne(queries, tenantId);
  const changed = await refusingTakenName(() =>
    queries
      .update(tenants)
      .set({ name: body.name, version: version + 1 })
      .where(and(eq(tenants.id, tenantId), eq(tenants.version, version)))
      .returning(),
  );
  const [tenant] = changed;
  if (tenant === undefined) throw new AppError("VERSION_CONFLICT");
  concerns({ resourceKind: "tenant", resourceId: tenantId, details: { from: before.name, to: body.name } });
  return { body: toWire(tenant), headers: { etag: etagOf(tenant.version) } };
}

async function refusingTakenName<T>(work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, "tenants_name")) throw new AppError("TENANT_NAME_TAKEN", {}, error);
    throw error;
  }
}

async function getOne(queries: Queries, id: string) {
  const [tenant] = await queries.select().from(tenants).where(eq(tenants.id, id));
  if (tenant === undefined) throw new AppError("RECORD_NOT_FOUND");
  return toWire(tenant);
}

const toWire = ({ id, name, createdAt, version }: typeof tenants.$inferSelect) => ({
  id,
  name,
  created_at: createdAt.toISOString(),
  version,
});
