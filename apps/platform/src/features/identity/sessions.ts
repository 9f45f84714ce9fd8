import { createId } from "@attune/service-kit/create-id.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { and, asc, eq, gt, lt, ne } from "drizzle-orm";
import type { Queries } from "../../infra/db/create-database.ts";
import { memberships, sessions, tenants, users } from "./tables.ts";
import { hashToken, makeToken } from "./tokens.ts";

export interface StartedSession {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: Date;
}

export interface NewSession {
  readonly userId: string;
  readonly ip: string;
  readonly lifeMs: number;
}

export async function startSession(queries: Queries, { userId, ip, lifeMs }: NewSession): Promise<StartedSession> {
  const { token, hash } = makeToken("session");
  const createdAt = new Date();
  const expiresAt = new Date(createdAt.getTime() + lifeMs);
  const id = createId();
  await queries
    .insert(sessions)
    .values({ id, userId, tokenHash: hash, createdAt, lastSeenAt: createdAt, expiresAt, ip });
  return { id, token, expiresAt };
}

/** The session of a token that the browser's cookie brought. @throws AppError SIGN_IN_REQUIRED */
export async function findSession(queries: Queries, token: string): Promise<StartedSession & { userId: string }> {
  const [found] = await queries
    .select({ id: sessions.id, userId: sessions.userId, expiresAt: sessions.expiresAt })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(eq(sessions.tokenHash, hashToken(token)), gt(sessions.expiresAt, new Date()), eq(users.isDisabled, false)),
    );
  if (found === undefined) throw new AppError("SIGN_IN_REQUIRED");
  return { ...found, token };
}

/** Who somebody is, on the wire. */
export async function describeUser(queries: Queries, userId: string) {
  const [user] = await queries.select().from(users).where(eq(users.id, userId));
  if (user === undefined) throw new AppError("SIGN_IN_REQUIRED");
  const belongsTo = await queries
    .select({ id: tenants.id, name: tenants.name, role: memberships.role })
    .from(memberships)
    .innerJoin(tenants, eq(tenants.id, memberships.tenantId))
    .where(eq(memberships.userId, userId))
    .orderBy(asc(memberships.createdAt), asc(memberships.tenantId));
  return {
    user: { id: user.id, email: user.email, display_name: user.displayName, platform_role: user.platformRole },
    tenants: belongsTo,
    must_change_password: user.mustChangePassword,
  };
}

export async function endSession(queries: Queries, id: string): Promise<void> {
  await queries.delete(sessions).where(eq(sessions.id, id));
}

/** Ends all sessions of a user but one. */
export async function endOtherSessions(queries: Queries, userId: string, keptId?: string): Promise<void> {
  const others = keptId === undefined ? undefined : ne(sessions.id, keptId);
  await queries.delete(sessions).where(and(eq(sessions.userId, userId), others));
}

export async function sweepSessions(queries: Queries): Promise<void> {
  await queries.delete(sessions).where(lt(sessions.expiresAt, new Date()));
}
