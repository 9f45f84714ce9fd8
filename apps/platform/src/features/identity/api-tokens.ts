import type { tokenScopes } from "@attune/contracts/rest/identity.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import { and, asc, eq, gt, isNull, type SQL } from "drizzle-orm";
import type { Queries } from "../../infra/db/create-database.ts";
import { fromCursor, type Page, toId, toPage } from "../../infra/db/cursor.ts";
import { apiTokens } from "./tables.ts";
import { makeToken } from "./tokens.ts";

type Scope = (typeof tokenScopes)[number];
type TokenRow = typeof apiTokens.$inferSelect;

const toWire = (row: TokenRow) => ({
  id: row.id,
  name: row.name,
  user_id: row.userId,
  prefix: row.prefix,
  scopes: row.scopes as Scope[],
  expires_at: row.expiresAt.toISOString(),
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
});
export type ApiToken = ReturnType<typeof toWire>;

export interface TokenPage {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Tokens that are not revoked and that the condition lets through, the oldest first. */
export async function listTokens(
  queries: Queries,
  allowed: SQL,
  { limit, cursor }: TokenPage,
): Promise<Page<ApiToken>> {
  const after = fromCursor(cursor, 1);
  const rows = await queries
    .select()
    .from(apiTokens)
    .where(
      and(allowed, isNull(apiTokens.revokedAt), after === undefined ? undefined : gt(apiTokens.id, toId(after[0]))),
    )
    .orderBy(asc(apiTokens.id))
    .limit(limit + 1);
  return toPage(rows.map(toWire), limit, ({ id }) => [id]);
}

export interface NewToken {
  readonly tenantId: string;
  readonly userId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresInDays: number;
}

export async function createToken(queries: Queries, wanted: NewToken): Promise<ApiToken & { token: string }> {
  const { token, hash, prefix } = makeToken("api_token");
  const createdAt = new Date();
  const expiresAt = new Date(createdAt.getTime() + wanted.expiresInDays * 86_400_000);
  const { tenantId, userId, name } = wanted;
  const scopes = [...new Set(wanted.scopes)];
  const row = { id: createId(), tenantId, userId, name, prefix, tokenHash: hash, scopes, createdAt, expiresAt };
  const [made] = await queries.insert(apiTokens).values(row).returning();
  if (made === undefined) throw new Error("A token that was written did not come back.");
  return { ...toWire(made), token };
}

/** @throws AppError RECORD_NOT_FOUND */
export async function getToken(queries: Queries, id: string): Promise<TokenRow> {
  const [row] = await queries
    .select()
    .from(apiTokens)
    .where(and(eq(apiTokens.id, id), isNull(apiTokens.revokedAt)));
  if (row === undefined) throw new AppError("RECORD_NOT_FOUND");
  return row;
}

export async function revokeToken(queries: Queries, id: string): Promise<void> {
  await queries.update(apiTokens).set({ revokedAt: new Date() }).where(eq(apiTokens.id, id));
}
