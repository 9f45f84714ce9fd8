import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { reasonOf } from "../../infra/storage/store-fixture.contract.ts";
import { startStorage } from "./start-storage.fixture.ts";
import { files, storageObjects } from "./tables.ts";
import { type StorageFault, verifyStorage } from "./verify-storage.ts";
import { useStorage } from "./use-storage.contract.ts";

const use = useStorage();

describe("the sweep", () => {
  it("never touches a write in progress, however slow, that says it lives", async () => {
    await using other = await startStorage(
      { databaseUrl: use().database.url, path: use().path },
      { policy: { unfinishedMs: 3_600_000 } },
    );
    const { promise: isSwept, resolve: sweepIsOver } = Promise.withResolvers<void>();
    async function* slow() {
      yield Buffer.alloc(5_000, "a");
      await isSwept;
      yield Buffer.alloc(5_000, "b");
    }
    const writing = use().write(slow());
    await expect.poll(() => use().listStates()).toEqual(["pending"]);
    // Much longer than the lease, which the writer renews.
    const isAlive = async () => {
      const [row] = await use()
        .started.database.queries.select({
          isLate: sql<boolean>`${storageObjects.createdAt} < now() - interval '1 second'`,
        })
        .from(storageObjects);
      const { abandonedCount } = await other.storage.sweep();
      return [row?.isLate, abandonedCount];
    };
    await expect.poll(isAlive, { timeout: 20_000 }).toEqual([true, 0]);
    sweepIsOver();
    expect((await use().read((await writing).id)).length).toBe(10_000);
  });

  it("takes a write whose process is silent, which then cannot go through", async () => {
    async function* silent() {
      yield Buffer.alloc(5_000);
      // As if this process had been stopped for long.
      const past = sql`now() - interval '1 minute'`;
      await use().started.database.queries.execute(sql`
        create function stay_late() returns trigger language plpgsql as
          $$ begin new.leased_until := ${sql.raw("now() - interval '1 minute'")}; return new; end $$`);
      await use().started.database.queries.execute(
        sql`create trigger late before update on storage_objects for each row execute function stay_late()`,
      );
      await use().started.database.queries.update(storageObjects).set({ leasedUntil: past });
      expect(await use().started.storage.sweep()).toMatchObject({ abandonedCount: 1 });
    }
    expect(await reasonOf(() => use().write(silent()))).toBe("STORAGE_UNAVAILABLE");
    await use().assertEmpty();
  });

  it("runs from several nodes at once", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 30; count++) ids.push((await use().write(Buffer.alloc(2_000))).id);
    await use().remove(...ids);
    const reports = await Promise.all(Array.from({ length: 4 }, () => use().started.storage.sweep()));
    expect(reports.every(({ failedCount }) => failedCount === 0)).toBe(true);
    await use().assertEmpty();
  });

  it("starts at once and stops", async () => {
    const { id } = await use().write(Buffer.alloc(2_000));
    await use().remove(id);
    const sweeping = use().started.storage.startSweep();
    await expect.poll(() => use().listStates()).toEqual([]);
    await sweeping.stop();
  });
});

describe("verifying", () => {
  const verify = async () => {
    const faults: StorageFault[] = [];
    const report = await verifyStorage(use().started.deps, (fault) => faults.push(fault));
    return { report, kinds: faults.map(({ kind }) => kind).sort(), faults };
  };

  it("finds nothing wrong with what is right", async () => {
    await use().write(Buffer.alloc(10));
    await use().write(Buffer.alloc(5_000));
    expect((await verify()).report).toEqual({ objectCount: 1, inlineCount: 1, sizeBytes: 5_010, faultCount: 0 });
  });

  it("tells what is missing, damaged, of another size or unknown", async () => {
    for (let count = 0; count < 3; count++) await use().write(Buffer.alloc(5_000, count));
    const inline = await use().write(Buffer.from("inline"));
    const [missing = "", damaged = "", short = ""] = await use().listKeys();
    await rm(join(use().path, "objects", `${missing}.object`));
    await writeFile(join(use().path, "objects", `${damaged}.object`), Buffer.alloc(5_000, 9));
    await writeFile(join(use().path, "objects", `${short}.object`), "short");
    await use().started.store.put("nobody/knows", Buffer.from("x"));
    await use()
      .started.database.queries.update(files)
      .set({ content: Buffer.from("INLINE") })
      .where(eq(files.id, inline.id));
    const { kinds, faults, report } = await verify();
    expect(kinds).toEqual(["damaged", "damaged", "damaged", "missing", "unknown"]);
    expect(faults).toContainEqual({ kind: "missing", subject: missing, owner: expect.stringMatching(/^test /) });
    expect(faults).toContainEqual({ kind: "unknown", subject: "nobody/knows" });
    expect(report.faultCount).toBe(5);
  });

  it("says of a store that is gone that it is gone, not that all objects are missing", async () => {
    await use().write(Buffer.alloc(5_000));
    await rename(use().path, `${use().path}-unmounted`);
    expect(await reasonOf(verify)).toBe("STORAGE_UNAVAILABLE");
    await rename(`${use().path}-unmounted`, use().path);
  });
});
