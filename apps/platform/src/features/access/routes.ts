import { grantAccess, listAcls, revokeAccess, type SharedKind } from "@attune/contracts/rest/acls.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import { and, asc, eq, sql } from "drizzle-orm";
import type { Principal } from "../../http/principal.ts";
import { bindRoute, type RequestContext, type RouteBinding } from "../../http/route-binding.ts";
import type { Queries } from "../../infra/db/create-database.ts";
import { type Protected, requireAllowed } from "./ability.ts";
import { abilityOf } from "./service.ts";
import { resourceAcls } from "./tables.ts";

export interface AccessPorts {
  /** Finds what rights on a record depend on, in the features that own them. */
  readonly findProtected: Readonly<
    Record<SharedKind, (queries: Queries, tenantId: string, id: string) => Promise<Protected | undefined>>
  >;
  readonly isMember: (queries: Queries, tenantId: string, userId: string) => Promise<boolean>;
}

/** Grants on single resources. Only who may manage a resource sees and changes them. */
export function bindAccessRoutes(ports: AccessPorts): RouteBinding[] {
  return [
    bindRoute(listAcls, async (context) => {
      await requireManaged(ports, context);
      const items = await context.queries
        .select()
        .from(resourceAcls)
        .where(onResource(context.tenantId, context.params))
        .orderBy(asc(resourceAcls.createdAt));
      return { body: { items: items.map(toWire) } };
    }),
    bindRoute(grantAccess, (context) => grant(ports, context)),
    bindRoute(revokeAccess, async (context) => {
      await requireManaged(ports, context);
      const { acl_id: id, resource_kind: resourceKind, resource_id: resourceId } = context.params;
      const removed = await context.queries
        .delete(resourceAcls)
        .where(and(onResource(context.tenantId, context.params), eq(resourceAcls.id, id)))
        .returning();
      if (removed[0] === undefined) throw new AppError("RECORD_NOT_FOUND");
      const { grantee, granteeKind, action } = removed[0];
      context.concerns({ resourceKind, resourceId, details: { granteeKind, grantee, action } });
      return {};
    }),
  ];
}

interface ResourceParams {
  readonly resource_kind: SharedKind;
  readonly resource_id: string;
}

interface ResourceCall extends Pick<RequestContext, "queries" | "tenantId"> {
  readonly principal: Principal;
  readonly params: ResourceParams;
}

async function requireManaged(
  { findProtected }: AccessPorts,
  { queries, principal, params, tenantId }: ResourceCall,
): Promise<void> {
  const { resource_kind: resource, resource_id: id } = params;
  const record = await findProtected[resource](queries, tenantId, id);
  requireAllowed(await abilityOf(queries, principal), { action: "manage", resource }, record);
}

async function grant(ports: AccessPorts, context: RequestContext<typeof grantAccess>) {
  await requireManaged(ports, context);
  const { queries, params, body, principal, tenantId } = context;
  await requireGrantee(ports, context);
  const row = {
    id: createId(),
    tenantId,
    resourceKind: params.resource_kind,
    resourceId: params.resource_id,
    granteeKind: body.grantee_kind,
    grantee: body.grantee,
    action: body.action,
    grantedBy: principal.userId,
    createdAt: new Date(),
  };
  const [kept] = await queries
    .insert(resourceAcls)
    .values(row)
    .onConflictDoUpdate({
      target: [resourceAcls.resourceKind, resourceAcls.resourceId, resourceAcls.granteeKind, resourceAcls.grantee],
      set: { action: sql`excluded.action`, grantedBy: sql`excluded.granted_by`, createdAt: sql`excluded.created_at` },
    })
    .returning();
  if (kept === undefined) throw new Error("A grant that was written did not come back.");
  const { resourceKind, resourceId, ...details } = row;
  context.concerns({ resourceKind, resourceId, details: { ...details, createdAt: undefined } });
  return { body: toWire(kept) };
}

async function requireGrantee(
  { isMember }: AccessPorts,
  { queries, body, tenantId }: RequestContext<typeof grantAccess>,
): Promise<void> {
  const isKnown =
    body.grantee_kind === "role" ||
    (body.grantee_kind === "tenant" ? body.grantee === tenantId : await isMember(queries, tenantId, body.grantee));
  if (isKnown) return;
  const violations = [{ pointer: "/body/grantee", message: "is neither a member of the tenant nor the tenant itself" }];
  throw new AppError("REQUEST_INVALID", { violations });
}

const onResource = (tenantId: string, { resource_kind: kind, resource_id: id }: ResourceParams) =>
  and(eq(resourceAcls.tenantId, tenantId), eq(resourceAcls.resourceKind, kind), eq(resourceAcls.resourceId, id));

const toWire = (row: typeof resourceAcls.$inferSelect) => ({
  id: row.id,
  resource_kind: row.resourceKind as SharedKind,
  resource_id: row.resourceId,
  grantee_kind: row.granteeKind,
  grantee: row.grantee,
  action: row.action,
  granted_by: row.grantedBy,
  created_at: row.createdAt.toISOString(),
});
