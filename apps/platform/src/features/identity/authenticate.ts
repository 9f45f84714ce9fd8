import type { Action } from "@attune/contracts/rest/define-route.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { and, asc, eq, gt, isNull, lt, or, sql } from "drizzle-orm";
import type { Credentials, Principal } from "../../http/principal.ts";
import type { Queries } from "../../infra/db/create-database.ts";
import { apiTokens, memberships, sessions, users } from "./tables.ts";
import { hashToken, kindOf } from "./tokens.ts";

/** How stale the time of the last use may be; every request would otherwise write. */
const seenEveryMs = 60_000;

/**
 * Whose token it is, with the rights of this moment: nothing is cached, so that a role taken away is gone at once.
 * @throws AppError SIGN_IN_REQUIRED
 */
export async function authenticate(queries: Queries, credentials: Credentials): Promise<Principal> {
  const kind = kindOf(credentials.token);
  if (kind === undefined) throw new AppError("SIGN_IN_REQUIRED");
  return kind === "session" ? ofSession(queries, credentials) : ofApiToken(queries, credentials);
}

export const userColumns = {
  userId: users.id,
  email: users.email,
  platformRole: users.platformRole,
  mustChangePassword: users.mustChangePassword,
};

async function ofSession(queries: Queries, { token, tenantId }: Credentials): Promise<Principal> {
  const now = new Date();
  const [found] = await queries
    .select({
      ...userColumns,
      sessionId: sessions.id,
      lastSeenAt: sessions.lastSeenAt,
      tenantId: memberships.tenantId,
      role: memberships.role,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(
      memberships,
      and(eq(memberships.userId, users.id), tenantId === undefined ? undefined : eq(memberships.tenantId, tenantId)),
    )
    .where(and(eq(sessions.tokenHash, hashToken(token)), gt(sessions.expiresAt, now), eq(users.isDisabled, false)))
    .orderBy(asc(memberships.createdAt), asc(memberships.tenantId))
    .limit(1);
  if (found === undefined) throw new AppError("SIGN_IN_REQUIRED");
  if (now.getTime() - found.lastSeenAt.getTime() > seenEveryMs) {
    await queries.update(sessions).set({ lastSeenAt: now }).where(eq(sessions.id, found.sessionId));
  }
  return { ...toPrincipal(found), credential: { kind: "session", id: found.sessionId } };
}

async function ofApiToken(queries: Queries, { token, tenantId }: Credentials): Promise<Principal> {
  const now = new Date();
  const [found] = await queries
    .select({
      ...userColumns,
      tokenId: apiTokens.id,
      scopes: apiTokens.scopes,
      tenantId: memberships.tenantId,
      role: memberships.role,
    })
    .from(apiTokens)
    .innerJoin(users, eq(users.id, apiTokens.userId))
    .innerJoin(memberships, and(eq(memberships.userId, apiTokens.userId), eq(memberships.tenantId, apiTokens.tenantId)))
    .where(
      and(
        eq(apiTokens.tokenHash, hashToken(token)),
        isNull(apiTokens.revokedAt),
        gt(apiTokens.expiresAt, now),
        eq(users.isDisabled, false),
      ),
    );
  if (found === undefined) throw new AppError("SIGN_IN_REQUIRED");
  await markUsed(queries, found.tokenId, now);
  const isElsewhere = tenantId !== undefined && tenantId !== found.tenantId;
  const scopes = found.scopes as Action[];
  const credential = { kind: "api_token" as const, id: found.tokenId, scopes };
  return { ...toPrincipal(isElsewhere ? { ...found, tenantId: null } : found), credential };
}

async function markUsed(queries: Queries, id: string, now: Date): Promise<void> {
  const isStale = or(
    isNull(apiTokens.lastUsedAt),
    lt(apiTokens.lastUsedAt, sql`${new Date(now.getTime() - seenEveryMs)}`),
  );
  await queries
    .update(apiTokens)
    .set({ lastUsedAt: now })
    .where(and(eq(apiTokens.id, id), isStale));
}

interface FoundUser {
  readonly userId: string;
  readonly email: string;
  readonly platformRole: "operator" | "auditor" | null;
  readonly mustChangePassword: boolean;
  readonly tenantId: string | null;
  readonly role: "owner" | "admin" | "editor" | "viewer" | null;
}

export function toPrincipal(found: FoundUser): Omit<Principal, "credential"> {
  const { userId, email, platformRole, mustChangePassword, tenantId, role } = found;
  return {
    userId,
    email,
    mustChangePassword,
    ...(tenantId !== null && role !== null && { tenant: { id: tenantId, role } }),
    ...(platformRole !== null && { platformRole }),
  };
}
