import {
  addUser,
  changeRole,
  createApiToken,
  getUser,
  listApiTokens,
  listUsers,
  removeUser,
  resetPassword,
  revokeApiToken,
} from "@attune/contracts/rest/identity.ts";
import type { TenantRole } from "@attune/contracts/rest/roles.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { etagOf, versionOf } from "../../http/etag.ts";
import type { Principal } from "../../http/principal.ts";
import { bindRoute, type RouteBinding } from "../../http/route-binding.ts";
import { abilityOf, removeGrantsTo, requireAllowed, whereAllowed } from "../access/index.ts";
import { createToken, getToken, listTokens, revokeToken } from "./api-tokens.ts";
import { apiTokens } from "./tables.ts";
import {
  addMember,
  changeMemberRole,
  getMember,
  giveOneTimePassword,
  listMembers,
  removeMember,
  requireOnlyHere,
} from "./users.ts";

/** Operations on the members of a tenant. */
export const userRoutes: readonly RouteBinding[] = [
  bindRoute(listUsers, async ({ queries, tenantId, query }) => ({ body: await listMembers(queries, tenantId, query) })),
  bindRoute(getUser, async ({ queries, tenantId, params }) => {
    const user = await getMember(queries, tenantId, params.user_id);
    return { body: user, headers: { etag: etagOf(user.version) } };
  }),
  bindRoute(addUser, async ({ queries, tenantId, principal, body, concerns }) => {
    requireRankFor(principal, body.role);
    const { email, display_name: displayName, role } = body;
    const { userId, oneTimePassword } = await addMember(queries, tenantId, { email, displayName, role });
    // One may have been made while an earlier membership was taken away.
    await removeGrantsTo(queries, { tenantId, userId });
    concerns({ resourceKind: "user", resourceId: userId, details: { email, role } });
    const user = await getMember(queries, tenantId, userId);
    return { body: { user, one_time_password: oneTimePassword } };
  }),
  bindRoute(changeRole, async ({ queries, tenantId, principal, params, body, ifMatch, concerns }) => {
    const before = await getMember(queries, tenantId, params.user_id);
    requireRankFor(principal, before.role);
    requireRankFor(principal, body.role);
    const { role } = body;
    await changeMemberRole(queries, tenantId, { userId: params.user_id, role, version: versionOf(ifMatch) });
    concerns({ resourceKind: "user", resourceId: params.user_id, details: { from: before.role, to: role } });
    const user = await getMember(queries, tenantId, params.user_id);
    return { body: user, headers: { etag: etagOf(user.version) } };
  }),
  bindRoute(removeUser, async ({ queries, tenantId, principal, params, concerns }) => {
    const before = await getMember(queries, tenantId, params.user_id);
    requireRankFor(principal, before.role);
    await removeMember(queries, tenantId, params.user_id);
    await removeGrantsTo(queries, { tenantId, userId: params.user_id });
    const { email, role } = before;
    concerns({ resourceKind: "user", resourceId: params.user_id, details: { email, role } });
    return {};
  }),
  bindRoute(resetPassword, async ({ queries, tenantId, principal, params, concerns }) => {
    const member = await getMember(queries, tenantId, params.user_id);
    requireRankFor(principal, member.role);
    await requireOnlyHere(queries, tenantId, params.user_id);
    concerns({ resourceKind: "user", resourceId: params.user_id });
    return { body: { one_time_password: await giveOneTimePassword(queries, params.user_id) } };
  }),
];

/** Only an owner makes, changes or takes away owners. */
function requireRankFor({ tenant }: Principal, role: TenantRole): void {
  if (role !== "owner" || tenant?.role === "owner") return;
  throw new AppError("PERMISSION_DENIED", { detail: "Only an owner may do this to an owner, or make one." });
}

const tokenColumns = {
  id: apiTokens.id,
  tenantId: apiTokens.tenantId,
  ownerId: apiTokens.userId,
  // API tokens are shared with nobody, so that no rule asks for it.
  isPrivate: apiTokens.revokedAt,
};

export const apiTokenRoutes: readonly RouteBinding[] = [
  bindRoute(listApiTokens, async ({ queries, principal, query }) => {
    const ability = await abilityOf(queries, principal);
    const allowed = whereAllowed(ability, { action: "read", resource: "api_token" }, tokenColumns);
    return { body: await listTokens(queries, allowed, query) };
  }),
  bindRoute(createApiToken, async ({ queries, tenantId, principal, body, concerns }) => {
    requireSession(principal);
    const { name, scopes, expires_in_days: expiresInDays } = body;
    const made = await createToken(queries, { tenantId, userId: principal.userId, name, scopes, expiresInDays });
    concerns({ resourceKind: "api_token", resourceId: made.id, details: { name, scopes } });
    return { body: made };
  }),
  bindRoute(revokeApiToken, async ({ queries, principal, params, concerns }) => {
    const found = await getToken(queries, params.token_id);
    const record = { id: found.id, tenantId: found.tenantId, ownerId: found.userId, isPrivate: true };
    requireAllowed(await abilityOf(queries, principal), { action: "manage", resource: "api_token" }, record);
    await revokeToken(queries, found.id);
    concerns({ resourceKind: "api_token", resourceId: found.id, details: { name: found.name } });
    return {};
  }),
];

/** A token that makes tokens would outlive its own end. */
function requireSession({ credential }: Principal): void {
  if (credential.kind === "session") return;
  throw new AppError("PERMISSION_DENIED", { detail: "API tokens are made when signed in, not with an API token." });
}
