import { actions } from "@attune/contracts/rest/define-route.ts";
import { tenantRoles } from "@attune/contracts/rest/roles.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { createTestDatabase, type TestDatabase } from "@attune/testkit/test-database.ts";
import { boolean, pgTable, uuid } from "drizzle-orm/pg-core";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type Database } from "../../infra/db/create-database.ts";
import { defineAbility, isAllowed, type Protected } from "./ability.ts";
import { whereAllowed } from "./where-allowed.ts";

const records = pgTable("records", {
  id: uuid("id").primaryKey(),
  tenantId: uuid("tenant_id").notNull(),
  ownerId: uuid("owner_id").notNull(),
  isPrivate: boolean("is_private").notNull(),
});

const ids = (length: number): string[] => Array.from({ length }, createId);
const [tenants, users] = [ids(3), ids(4)];
const all: Protected[] = tenants.flatMap((tenantId) =>
  users.flatMap((ownerId) => [true, false].map((isPrivate) => ({ id: createId(), tenantId, ownerId, isPrivate }))),
);

let database: Database;
let made: TestDatabase;

beforeAll(async () => {
  made = await createTestDatabase();
  const settings = { url: made.url, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000, maxConnections: 2 };
  database = createDatabase(settings, createLogger("test", "silent"));
  await database.pool.query(
    "create table records (id uuid primary key, tenant_id uuid not null, owner_id uuid not null, is_private boolean not null)",
  );
  await database.queries.insert(records).values(all);
});
afterAll(async () => {
  await database.close();
  await made.drop();
});

const principals = fc.record({
  tenantId: fc.constantFrom(...tenants),
  userId: fc.constantFrom(...users),
  role: fc.constantFrom(...tenantRoles),
  scopes: fc.option(fc.subarray([...actions]), { nil: undefined }),
  granted: fc.array(fc.tuple(fc.constantFrom(...all), fc.constantFrom("read", "use", "edit", "manage")), {
    maxLength: 6,
  }),
});

test("a list holds just the records that would be let through one by one, whoever asks for whatever", async () => {
  const property = fc.asyncProperty(principals, fc.constantFrom(...actions), async (who, action) => {
    const { tenantId, userId, role, scopes, granted } = who;
    const credential = { kind: "session" as const, id: createId(), ...(scopes !== undefined && { scopes }) };
    const principal = { userId, email: "", credential, tenant: { id: tenantId, role }, mustChangePassword: false };
    const grants = granted.map(([{ id }, right]) => ({
      resourceKind: "dataset" as const,
      resourceId: id,
      action: right,
    }));
    const ability = defineAbility(principal, grants);
    const request = { action, resource: "dataset" as const };
    const listed = await database.queries
      .select()
      .from(records)
      .where(whereAllowed(ability, request, records));
    const allowed = all.filter((record) => isAllowed(ability, request, record));
    expect(listed.map(({ id }) => id).toSorted()).toEqual(allowed.map(({ id }) => id).toSorted());
    expect(allowed.filter((record) => record.tenantId !== tenantId)).toEqual([]);
  });
  await fc.assert(property, { numRuns: 300 });
});
