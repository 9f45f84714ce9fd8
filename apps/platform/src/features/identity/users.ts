import type { TenantRole } from "@attune/contracts/rest/roles.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import { and, asc, eq, gt, ilike, isNotNull, ne, or, sql } from "drizzle-orm";
import { isUniqueViolation } from "../../infra/db/database-error.ts";
import type { Queries } from "../../infra/db/create-database.ts";
import { fromCursor, type Page, toPage } from "../../infra/db/cursor.ts";
import { hashPassword, makeOneTimePassword } from "./passwords.ts";
import { endOtherSessions } from "./sessions.ts";
import { apiTokens, memberships, sessions, users } from "./tables.ts";

const memberColumns = {
  id: users.id,
  email: users.email,
  display_name: users.displayName,
  role: memberships.role,
  is_disabled: users.isDisabled,
  last_seen_at:
    sql<Date | null>`(select max(${sessions.lastSeenAt}) from ${sessions} where ${sessions.userId} = ${users.id})`.mapWith(
      sessions.lastSeenAt,
    ),
  created_at: memberships.createdAt,
  version: memberships.version,
};

interface MemberRow {
  readonly last_seen_at: Date | null;
  readonly created_at: Date;
}

const toWire = <T extends MemberRow>(row: T) => ({
  ...row,
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});
export type Member = ReturnType<typeof toMember>;
const toMember = (row: Awaited<ReturnType<typeof readMembers>>[number]) => toWire(row);

const readMembers = (queries: Queries, where: ReturnType<typeof and>, limit: number) =>
  queries
    .select(memberColumns)
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(where)
    .orderBy(asc(users.email))
    .limit(limit);

export interface MemberSearch {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly search?: string | undefined;
}

/** The members of a tenant in the order of their addresses. */
export async function listMembers(
  queries: Queries,
  tenantId: string,
  { limit, cursor, search }: MemberSearch,
): Promise<Page<Member>> {
  const after = fromCursor(cursor, 1);
  const pattern = search === undefined ? undefined : `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`;
  const where = and(
    eq(memberships.tenantId, tenantId),
    after === undefined ? undefined : gt(users.email, String(after[0])),
    pattern === undefined ? undefined : or(ilike(users.email, pattern), ilike(users.displayName, pattern)),
  );
  const rows = await readMembers(queries, where, limit + 1);
  return toPage(rows.map(toMember), limit, ({ email }) => [email]);
}

/** @throws AppError RECORD_NOT_FOUND */
export async function getMember(queries: Queries, tenantId: string, userId: string): Promise<Member> {
  const where = and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId));
  const [row] = await readMembers(queries, where, 1);
  if (row === undefined) throw new AppError("RECORD_NOT_FOUND");
  return toMember(row);
}

export async function isMember(queries: Queries, tenantId: string, userId: string): Promise<boolean> {
  const rows = await queries
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId)));
  return rows.length > 0;
}

export interface NewMember {
  readonly email: string;
  readonly displayName: string;
  readonly role: TenantRole;
}

/**
 * Adds a member. Somebody who is new to the platform gets a password for one sign-in.
 * @throws AppError USER_EMAIL_TAKEN when the address is a member's already.
 */
export async function addMember(
  queries: Queries,
  tenantId: string,
  { email, displayName, role }: NewMember,
): Promise<{ userId: string; oneTimePassword: string | null }> {
  const createdAt = new Date();
  const password = makeOneTimePassword();
  const user = { id: createId(), email, displayName, createdAt };
  const made = await queries
    .insert(users)
    .values({ ...user, passwordHash: await hashPassword(password), mustChangePassword: true })
    .onConflictDoNothing({ target: users.email })
    .returning({ id: users.id });
  const [known] =
    made.length > 0 ? made : await queries.select({ id: users.id }).from(users).where(eq(users.email, email));
  if (known === undefined) throw new Error("A user who is there cannot be read.");
  try {
    await queries.insert(memberships).values({ tenantId, userId: known.id, role, createdAt });
  } catch (error) {
    if (isUniqueViolation(error, "memberships_tenant_id_user_id_pk")) throw new AppError("USER_EMAIL_TAKEN", {}, error);
    throw error;
  }
  return { userId: known.id, oneTimePassword: made.length > 0 ? password : null };
}

/** Locks all owners of the tenant, so that of two changes at once the second sees the first. */
async function requireAnotherOwner(queries: Queries, tenantId: string, userId: string): Promise<void> {
  const owners = await queries
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(and(eq(memberships.tenantId, tenantId), eq(memberships.role, "owner")))
    .orderBy(asc(memberships.userId))
    .for("update");
  if (owners.every((owner) => owner.userId === userId)) throw new AppError("LAST_OWNER");
}

export interface RoleChange {
  readonly userId: string;
  readonly role: TenantRole;
  /** The version of the membership that the change was made on. */
  readonly version: number;
}

/** @throws AppError RECORD_NOT_FOUND, VERSION_CONFLICT, LAST_OWNER */
export async function changeMemberRole(queries: Queries, tenantId: string, change: RoleChange): Promise<void> {
  const { userId, role, version } = change;
  const present = await getMember(queries, tenantId, userId);
  if (present.role === "owner" && role !== "owner") await requireAnotherOwner(queries, tenantId, userId);
  const changed = await queries
    .update(memberships)
    .set({ role, version: version + 1 })
    .where(and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId), eq(memberships.version, version)))
    .returning({ userId: memberships.userId });
  if (changed.length === 0) throw new AppError("VERSION_CONFLICT");
}

/** Takes a member out of a tenant, with the tokens made for it. @throws AppError RECORD_NOT_FOUND, LAST_OWNER */
export async function removeMember(queries: Queries, tenantId: string, userId: string): Promise<void> {
  const { role } = await getMember(queries, tenantId, userId);
  if (role === "owner") await requireAnotherOwner(queries, tenantId, userId);
  await queries.delete(apiTokens).where(and(eq(apiTokens.tenantId, tenantId), eq(apiTokens.userId, userId)));
  await queries.delete(memberships).where(and(eq(memberships.tenantId, tenantId), eq(memberships.userId, userId)));
}

/**
 * Who sets a password can sign in with it, so that administrators of one tenant must not set that of a member of another.
 * @throws AppError PERMISSION_DENIED
 */
export async function requireOnlyHere(queries: Queries, tenantId: string, userId: string): Promise<void> {
  const elsewhere = await queries
    .select({ id: users.id })
    .from(users)
    .leftJoin(memberships, and(eq(memberships.userId, users.id), ne(memberships.tenantId, tenantId)))
    .where(and(eq(users.id, userId), or(isNotNull(memberships.tenantId), isNotNull(users.platformRole))));
  if (elsewhere.length === 0) return;
  const detail = "The user belongs to other tenants or has a role on the platform; the platform's operator can do it.";
  throw new AppError("PERMISSION_DENIED", { detail });
}

/** Gives a user a new password for one sign-in, and ends all sessions. */
export async function giveOneTimePassword(queries: Queries, userId: string): Promise<string> {
  const password = makeOneTimePassword();
  await queries
    .update(users)
    .set({ passwordHash: await hashPassword(password), mustChangePassword: true })
    .where(eq(users.id, userId));
  await endOtherSessions(queries, userId);
  return password;
}
