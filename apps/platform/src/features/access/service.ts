import type { Action, ResourceKind } from "@attune/contracts/rest/define-route.ts";
import { type SharedKind, sharedKinds } from "@attune/contracts/rest/acls.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { and, eq, or } from "drizzle-orm";
import type { Principal } from "../../http/principal.ts";
import type { RouteBinding } from "../../http/route-binding.ts";
import type { Queries } from "../../infra/db/create-database.ts";
import { type Ability, defineAbility, type Grant } from "./ability.ts";
import { includedActions, rolePolicies } from "./policy.ts";
import { resourceAcls } from "./tables.ts";

const isShared = (kind: ResourceKind): kind is SharedKind => (sharedKinds as readonly string[]).includes(kind);

/** The rights of a principal, with the grants that reach it. */
export async function abilityOf(queries: Queries, principal: Principal): Promise<Ability> {
  return defineAbility(principal, await listGrants(queries, principal));
}

async function listGrants(queries: Queries, { tenant, userId }: Principal): Promise<Grant[]> {
  // Whoever may manage everything gains nothing by a grant.
  if (tenant === undefined || tenant.role === "owner" || tenant.role === "admin") return [];
  const rows = await queries
    .select({
      resourceKind: resourceAcls.resourceKind,
      resourceId: resourceAcls.resourceId,
      action: resourceAcls.action,
    })
    .from(resourceAcls)
    .where(
      and(
        eq(resourceAcls.tenantId, tenant.id),
        or(
          and(eq(resourceAcls.granteeKind, "user"), eq(resourceAcls.grantee, userId)),
          and(eq(resourceAcls.granteeKind, "role"), eq(resourceAcls.grantee, tenant.role)),
          and(eq(resourceAcls.granteeKind, "tenant"), eq(resourceAcls.grantee, tenant.id)),
        ),
      ),
    );
  return rows as Grant[];
}

/** Removes all grants on a resource, with the resource. */
export async function removeGrants(
  queries: Queries,
  { resourceKind, resourceId }: { readonly resourceKind: SharedKind; readonly resourceId: string },
): Promise<void> {
  await queries
    .delete(resourceAcls)
    .where(and(eq(resourceAcls.resourceKind, resourceKind), eq(resourceAcls.resourceId, resourceId)));
}

/** Removes all grants to a user in a tenant, with the membership. */
export async function removeGrantsTo(
  queries: Queries,
  { tenantId, userId }: { readonly tenantId: string; readonly userId: string },
): Promise<void> {
  const { tenantId: tenant, granteeKind, grantee } = resourceAcls;
  await queries.delete(resourceAcls).where(and(eq(tenant, tenantId), eq(granteeKind, "user"), eq(grantee, userId)));
}

/** Operations that are open before a one-time password is replaced. */
const openBeforePassword: ReadonlySet<string> = new Set(["getSession", "signOut", "changePassword"]);

/**
 * Whether a principal may call an operation at all; what it may do to one record is judged on the record.
 * @throws AppError SIGN_IN_REQUIRED, PASSWORD_CHANGE_REQUIRED, PERMISSION_DENIED
 */
export function authorise(principal: Principal | undefined, { contract }: Pick<RouteBinding, "contract">): void {
  const { access, id } = contract;
  if (access.kind === "public") return;
  if (principal === undefined) throw new AppError("SIGN_IN_REQUIRED");
  if (principal.mustChangePassword && !openBeforePassword.has(id)) throw new AppError("PASSWORD_CHANGE_REQUIRED");
  if (access.kind === "tenant") requireInTenant(principal, access);
  if (access.kind === "platform") requireOnPlatform(principal, access.role);
}

function requireInTenant({ tenant, credential }: Principal, access: { action: Action; resource: ResourceKind }): void {
  if (tenant === undefined) {
    throw new AppError("PERMISSION_DENIED", { detail: "You are not a member of any tenant, or not of this one." });
  }
  const { action, resource } = access;
  if (credential.scopes !== undefined && !credential.scopes.includes(action)) {
    throw new AppError("PERMISSION_DENIED", { detail: `The API token is not for the action ${action}.` });
  }
  // A grant can give these on one record, whatever the role.
  const isByRecord = resource === "resource_acl" || (isShared(resource) && action !== "create");
  const isByRole = rolePolicies[tenant.role].some(
    (rule) => rule.resource === resource && includedActions[rule.action].includes(action),
  );
  if (isByRecord || isByRole) return;
  throw new AppError("PERMISSION_DENIED", { detail: `The role ${tenant.role} does not include it.` });
}

function requireOnPlatform({ platformRole, credential }: Principal, role: "operator" | "auditor"): void {
  const isHolder = platformRole === role || platformRole === "operator";
  if (isHolder && credential.kind === "session") return;
  throw new AppError("PERMISSION_DENIED", { detail: `It is for the platform role ${role}, signed in.` });
}
