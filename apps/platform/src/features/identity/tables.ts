import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytea, idColumn, moment } from "../../infra/db/columns.ts";

export const tenants = pgTable(
  "tenants",
  {
    id: idColumn(),
    name: text("name").notNull(),
    version: integer("version").notNull().default(1),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [uniqueIndex("tenants_name").on(sql`lower(${table.name})`)],
);

export const users = pgTable(
  "users",
  {
    id: idColumn(),
    /** In lower case. */
    email: text("email").notNull(),
    displayName: text("display_name").notNull(),
    /** Argon2id, in PHC form; null for those who sign in through the identity provider only. */
    passwordHash: text("password_hash"),
    mustChangePassword: boolean("must_change_password").notNull().default(false),
    platformRole: text("platform_role", { enum: ["operator", "auditor"] }),
    isDisabled: boolean("is_disabled").notNull().default(false),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [uniqueIndex("users_email").on(table.email)],
);

export const memberships = pgTable(
  "memberships",
  {
    tenantId: uuid("tenant_id")
      .notNull()
      .references(() => tenants.id),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id),
    role: text("role", { enum: ["owner", "admin", "editor", "viewer"] }).notNull(),
    version: integer("version").notNull().default(1),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.userId] }),
    index("memberships_user").on(table.userId, table.createdAt),
  ],
);

export const sessions = pgTable(
  "sessions",
  {
    id: idColumn(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id),
    /** SHA-256 of the token, which is stored nowhere. */
    tokenHash: bytea("token_hash").notNull(),
    createdAt: moment("created_at").notNull(),
    lastSeenAt: moment("last_seen_at").notNull(),
    expiresAt: moment("expires_at").notNull(),
    ip: text("ip").notNull(),
  },
  (table) => [uniqueIndex("sessions_token").on(table.tokenHash), index("sessions_user").on(table.userId)],
);

export const apiTokens = pgTable(
  "api_tokens",
  {
    id: idColumn(),
    tenantId: uuid("tenant_id")
      .notNull()
      .references(() => tenants.id),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id),
    name: text("name").notNull(),
    prefix: text("prefix").notNull(),
    tokenHash: bytea("token_hash").notNull(),
    scopes: text("scopes").array().notNull(),
    createdAt: moment("created_at").notNull(),
    lastUsedAt: moment("last_used_at"),
    expiresAt: moment("expires_at").notNull(),
    revokedAt: moment("revoked_at"),
  },
  (table) => [
    uniqueIndex("api_tokens_token").on(table.tokenHash),
    index("api_tokens_tenant").on(table.tenantId, table.id),
  ],
);

/** Failed attempts to sign in, by account and address and by address alone. */
export const signInAttempts = pgTable("sign_in_attempts", {
  key: text("key").primaryKey(),
  failures: integer("failures").notNull(),
  windowEndsAt: moment("window_ends_at").notNull(),
});

/** Who somebody is at an identity provider. At one provider a user is one person only. */
export const userIdentities = pgTable(
  "user_identities",
  {
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    uniqueIndex("user_identities_user").on(table.userId, table.issuer),
  ],
);

/** Sign-ins that were started at the identity provider and have not ended; each is taken away by its end. */
export const oidcRequests = pgTable(
  "oidc_requests",
  {
    stateHash: bytea("state_hash").primaryKey(),
    /** SHA-256 of the key of the browser that started it. */
    browserHash: bytea("browser_hash").notNull(),
    nonce: text("nonce").notNull(),
    codeVerifier: text("code_verifier").notNull(),
    expiresAt: moment("expires_at").notNull(),
  },
  (table) => [index("oidc_requests_expires_at").on(table.expiresAt)],
);
