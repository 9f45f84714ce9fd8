import { createLogger } from "@attune/service-kit/create-logger.ts";
import { createTestDatabase, type TestDatabase } from "@attune/testkit/test-database.ts";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDatabase, type Database } from "./create-database.ts";
import { toUnavailable } from "./database-error.ts";

describe("a transaction", () => {
  let server: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    server = await createTestDatabase();
    const settings = { url: server.url, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000, maxConnections: 2 };
    database = createDatabase(settings, createLogger("test", "silent"));
  });
  afterEach(async () => {
    await database.close();
    await server.drop();
  });

  const end = sql`select pg_terminate_backend(pg_backend_pid())`;

  test("whose connection breaks tells that the database is gone, and its connection is not kept", async () => {
    for (let count = 0; count < 5; count++) {
      const failure = await database.transaction((tx) => tx.execute(end)).catch((error: unknown) => error);
      expect(toUnavailable(failure)?.reason).toBe("DATABASE_UNAVAILABLE");
    }
    expect((await database.queries.execute(sql`select 1 as one`)).rows).toEqual([{ one: 1 }]);
  });

  test("tells why it was rolled back, not that the rollback failed", async () => {
    const failure = new Error("the name is taken");
    const attempt = database.transaction(async (tx) => {
      await tx.execute(end).catch(() => {});
      throw failure;
    });
    await expect(attempt).rejects.toBe(failure);
  });

  test("gives its connection back when it cannot begin", async () => {
    const connect = database.pool.connect.bind(database.pool);
    for (let count = 0; count < 3; count++) {
      // The connection breaks after it was given and before the transaction begins.
      const client = await connect();
      await client.query("select pg_terminate_backend(pg_backend_pid())").catch(() => {});
      database.pool.connect = (async () => client) as typeof database.pool.connect;
      await expect(database.transaction(async () => {})).rejects.toThrow(/begin|not queryable|terminated/i);
      database.pool.connect = connect;
    }
    expect([database.pool.totalCount, database.pool.waitingCount]).toEqual([0, 0]);
  });
});
