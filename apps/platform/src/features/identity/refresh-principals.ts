import type { Action } from "@attune/contracts/rest/define-route.ts";
import { and, eq, gt, inArray, isNull } from "drizzle-orm";
import type { Principal } from "../../http/principal.ts";
import type { Queries } from "../../infra/db/create-database.ts";
import { toPrincipal, userColumns } from "./authenticate.ts";
import { apiTokens, memberships, sessions, users } from "./tables.ts";

type Credential = Principal["credential"];

/**
 * The principals of this moment in a tenant, by the ids of their credentials: what is expired, revoked or disabled is not
 * there, and who is no longer a member has no tenant. Two queries, for however many.
 */
export async function refreshPrincipals(
  queries: Queries,
  tenantId: string,
  credentials: readonly Credential[],
): Promise<ReadonlyMap<string, Principal>> {
  const idsOf = (kind: Credential["kind"]): string[] => [
    ...new Set(credentials.filter((one) => one.kind === kind).map(({ id }) => id)),
  ];
  const principals = [
    ...(await ofSessions(queries, tenantId, idsOf("session"))),
    ...(await ofApiTokens(queries, tenantId, idsOf("api_token"))),
  ];
  return new Map(principals.map((principal) => [principal.credential.id, principal]));
}

async function ofSessions(queries: Queries, tenantId: string, ids: readonly string[]): Promise<Principal[]> {
  if (ids.length === 0) return [];
  const rows = await queries
    .select({ ...userColumns, id: sessions.id, tenantId: memberships.tenantId, role: memberships.role })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(memberships, and(eq(memberships.userId, users.id), eq(memberships.tenantId, tenantId)))
    .where(and(inArray(sessions.id, [...ids]), gt(sessions.expiresAt, new Date()), eq(users.isDisabled, false)));
  return rows.map((row) => ({ ...toPrincipal(row), credential: { kind: "session", id: row.id } }));
}

async function ofApiTokens(queries: Queries, tenantId: string, ids: readonly string[]): Promise<Principal[]> {
  if (ids.length === 0) return [];
  const isOfTenant = eq(apiTokens.tenantId, tenantId);
  const isMember = and(eq(memberships.userId, apiTokens.userId), eq(memberships.tenantId, apiTokens.tenantId));
  const rows = await queries
    .select({
      ...userColumns,
      id: apiTokens.id,
      scopes: apiTokens.scopes,
      tenantId: memberships.tenantId,
      role: memberships.role,
    })
    .from(apiTokens)
    .innerJoin(users, eq(users.id, apiTokens.userId))
    .innerJoin(memberships, isMember)
    .where(
      and(
        inArray(apiTokens.id, [...ids]),
        isOfTenant,
        isNull(apiTokens.revokedAt),
        gt(apiTokens.expiresAt, new Date()),
        eq(users.isDisabled, false),
      ),
    );
  return rows.map((row) => {
    const scopes = row.scopes as Action[];
    return { ...toPrincipal(row), credential: { kind: "api_token", id: row.id, scopes } };
  });
}
