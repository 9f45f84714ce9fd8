import { type FakeS3, startFakeS3 } from "@attune/testkit/s3-fixture-fake.ts";
import { withClient } from "@attune/testkit/with-client.ts";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toUnavailable } from "../../infra/db/database-error.ts";
import { reasonOf } from "../../infra/storage/store-fixture.contract.ts";
import { startStorage, type StartedStorage } from "./start-storage.fixture.ts";
import { useStorage } from "./use-storage.contract.ts";

const use = useStorage();

describe("when something is down", () => {
  let server: FakeS3;
  let remote: StartedStorage;

  beforeEach(async () => {
    server = await startFakeS3();
    await server.createBucket("objects");
    remote = await startStorage({ databaseUrl: use().database.url, s3: server });
  });
  afterEach(async () => {
    await remote[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it.each([
    [{ status: 503, code: "ServiceUnavailable" }, "STORAGE_UNAVAILABLE"],
    [{ status: 507, code: "XMinioStorageFull" }, "STORAGE_FULL"],
    [{ status: 403, code: "AccessDenied" }, "STORAGE_DENIED"],
  ] as const)("a store that answers %j loses nothing and keeps nothing", async (fault, reason) => {
    const body = Buffer.alloc(50_000, "a");
    const kept = await remote.storage.writeFile(use().toFile(body), async (_, stored) => stored);
    server.onRequest = () => fault;
    expect(await reasonOf(() => remote.storage.writeFile(use().toFile(body), async () => {}))).toBe(reason);
    const address = { tenantId: use().tenantId, fileId: kept.id };
    expect(await reasonOf(() => remote.storage.openFile(remote.database.queries, address))).toBe(
      fault.status === 507 ? "STORAGE_FULL" : reason,
    );
    // What needs no store goes on.
    expect(
      (await remote.storage.writeFile(use().toFile(Buffer.from("x")), async (_, stored) => stored)).objectId,
    ).toBeUndefined();
    const other = await startStorage({ databaseUrl: use().database.url, s3: server });
    const removal = await remote.database.transaction((tx) =>
      remote.storage.removeFiles(tx, { tenantId: use().tenantId, fileIds: [kept.id] }),
    );
    await removal.finish();
    expect(new Set(await use().listStates())).toEqual(new Set(["deleting"]));
    server.onRequest = undefined;
    await other.storage.sweep();
    await other[Symbol.asyncDispose]();
    expect([await use().listStates(), [...(server.buckets.get("objects")?.objects.keys() ?? [])]]).toEqual([[], []]);
  });

  it("a connection to the database that breaks in the commit keeps neither row nor object", async () => {
    const failure = await use()
      .started.storage.writeFile(use().toFile(Buffer.alloc(5_000)), async (tx) => {
        await tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`);
      })
      .catch((error: unknown) => error);
    expect(toUnavailable(failure)?.reason).toBe("DATABASE_UNAVAILABLE");
    await use().assertEmpty();
  });

  it("a database that is gone for a while keeps neither row nor object, and the next write goes through", async () => {
    async function* body() {
      yield Buffer.alloc(5_000);
      await cutOff(use().database.url, true);
    }
    await expect(use().write(body())).rejects.toThrow(/Failed query|terminat|accepting connections/);
    await cutOff(use().database.url, false);
    const swept = async () => {
      await use().started.storage.sweep();
      return [await use().listStates(), await use().listKeys()];
    };
    await expect.poll(swept, { timeout: 20_000 }).toEqual([[], []]);
    expect((await use().read((await use().write(Buffer.alloc(5_000))).id)).length).toBe(5_000);
  });
});

/** Ends all connections to a database and lets none in, or lets them in again. */
async function cutOff(url: string, isCut: boolean): Promise<void> {
  const other = new URL(url);
  const name = other.pathname.slice(1);
  other.pathname = "/postgres";
  await withClient(other.href, async (client) => {
    await client.query(`ALTER DATABASE "${name}" WITH ALLOW_CONNECTIONS ${isCut ? "false" : "true"}`);
    if (isCut) await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [name]);
  });
}
