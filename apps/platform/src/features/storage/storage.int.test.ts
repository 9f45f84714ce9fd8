import { randomBytes, randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bytesOf, digestOf, reasonOf, toStream } from "../../infra/storage/store-fixture.contract.ts";
import type { StagedFile } from "./stage-file.ts";
import { addTenant, startStorage } from "./start-storage.fixture.ts";
import { useStorage } from "./use-storage.contract.ts";

const use = useStorage();

describe("writing", () => {
  it.each([
    ["999 bytes of text", 999, "text/plain", true],
    ["1,000 bytes of text", 1_000, "TEXT/CSV; charset=utf-8", true],
    ["1,001 bytes of text", 1_001, "text/plain", false],
    ["no bytes", 0, "text/plain", true],
    ["10 bytes of another type", 10, "application/pdf", false],
  ])("puts %s where the policy says", async (...[, sizeBytes, mediaType, isInline]) => {
    const bytes = randomBytes(sizeBytes);
    for (const body of [bytes, toStream([bytes.subarray(0, 5), bytes.subarray(5)])]) {
      const stored = await use().write(body, { mediaType, expected: digestOf(bytes) });
      expect(stored).toMatchObject(digestOf(bytes));
      expect(stored.objectId === undefined).toBe(isInline);
      expect((await use().read(stored.id)).equals(bytes)).toBe(true);
    }
    expect(await use().listStates()).toEqual(isInline ? [] : ["live", "live"]);
  });

  it("puts no file into the database when it must be an object", async () => {
    const { objectId, id } = await use().write(Buffer.from("x"), { placement: "object" });
    expect([typeof objectId, String(await use().read(id))]).toEqual(["string", "x"]);
  });

  it("reads old files where they are when the policy changes", async () => {
    const inline = await use().write(Buffer.alloc(900));
    const object = await use().write(Buffer.alloc(1_100));
    await using other = await startStorage(
      { databaseUrl: use().database.url, path: use().path },
      { policy: { inlineMaxBytes: 2_000 } },
    );
    for (const { id, sizeBytes } of [inline, object]) {
      const { stream } = await other.storage.openFile(other.database.queries, { tenantId: use().tenantId, fileId: id });
      expect((await bytesOf(stream)).length).toBe(sizeBytes);
    }
  });

  it.each([100, 100_000])(
    "leaves nothing of %i bytes when the caller's commit fails, or the bytes are others",
    async (size) => {
      const failure = new Error("the name is taken");
      const commit = () => Promise.reject(failure);
      await expect(use().started.storage.writeFile(use().toFile(Buffer.alloc(size)), commit)).rejects.toBe(failure);
      const expected = { sha256: "0".repeat(64) };
      expect(await reasonOf(() => use().write(Buffer.alloc(size), { expected }))).toBe("STORAGE_CHECKSUM_MISMATCH");
      async function* broken() {
        yield Buffer.alloc(size);
        throw failure;
      }
      await expect(use().write(broken())).rejects.toBe(failure);
      const stop = AbortSignal.abort(failure);
      await expect(use().write(toStream([Buffer.alloc(size)]), { signal: stop })).rejects.toBe(failure);
      await use().assertEmpty();
    },
  );

  it("writes several files in one transaction, all or none", async () => {
    const bodies = [Buffer.alloc(10), Buffer.alloc(5_000), Buffer.alloc(6_000)];
    const writeAll = async (isRefused: boolean) => {
      await using stack = new AsyncDisposableStack();
      const staged: StagedFile[] = [];
      for (const body of bodies) staged.push(stack.use(await use().started.storage.stageFile(use().toFile(body))));
      await use().started.database.transaction(async (tx) => {
        for (const file of staged) await file.attach(tx);
        if (isRefused) throw new Error("refused");
      });
      return staged.map(({ file }) => file.id);
    };
    await expect(writeAll(true)).rejects.toThrow("refused");
    await use().assertEmpty();
    const ids = await writeAll(false);
    expect(await Promise.all(ids.map(async (id) => (await use().read(id)).length))).toEqual([10, 5_000, 6_000]);
  });
});

describe("reading", () => {
  it.each([100, 5_000])("gives a range of %i bytes, and nothing to another tenant", async (size) => {
    const bytes = randomBytes(size);
    const { id } = await use().write(bytes);
    expect((await use().read(id, { firstByte: 90 })).equals(bytes.subarray(90))).toBe(true);
    expect(await reasonOf(() => use().read(id, { firstByte: size }))).toBe("STORAGE_RANGE_INVALID");
    const other = await addTenant(use().started.database);
    const { queries } = use().started.database;
    expect(await reasonOf(() => use().started.storage.openFile(queries, { tenantId: other, fileId: id }))).toBe(
      "RECORD_NOT_FOUND",
    );
    const link = { expiresInSeconds: 60 };
    const foreign = () => use().started.storage.findFileLink(queries, { tenantId: other, fileId: id }, link);
    expect(await reasonOf(foreign)).toBe("RECORD_NOT_FOUND");
  });

  it("never gives a damaged file as whole", async () => {
    const { id } = await use().write(Buffer.alloc(600_000, "a"));
    const [key = ""] = await use().listKeys();
    await writeFile(join(use().path, "objects", `${key}.object`), Buffer.alloc(600_000, "b"));
    const { stream } = await use().started.storage.openFile(use().started.database.queries, {
      tenantId: use().tenantId,
      fileId: id,
    });
    let cameBytes = 0;
    const readAll = async () => {
      for await (const chunk of stream as AsyncIterable<Buffer>) cameBytes += chunk.length;
    };
    expect(await reasonOf(readAll)).toBe("STORAGE_OBJECT_DAMAGED");
    expect(cameBytes).toBeLessThan(600_000);
    await writeFile(join(use().path, "objects", `${key}.object`), "short");
    expect(await reasonOf(() => use().read(id))).toBe("STORAGE_OBJECT_DAMAGED");
    await rm(join(use().path, "objects", `${key}.object`));
    expect(await reasonOf(() => use().read(id))).toBe("STORAGE_OBJECT_NOT_FOUND");
  });

  it("makes links to objects, and none to what lies in the database", async () => {
    const [inline, object] = [await use().write(Buffer.alloc(10)), await use().write(Buffer.alloc(5_000))];
    const link = (fileId: string) =>
      use().started.storage.findFileLink(
        use().started.database.queries,
        { tenantId: use().tenantId, fileId },
        { expiresInSeconds: 60, fileName: "a.txt" },
      );
    expect(await link(inline.id)).toBeUndefined();
    expect((await link(object.id))?.url).toMatch(
      /^http:\/\/localhost:8080\/api\/v1\/storage\/links\/.*file_name=a.txt/,
    );
  });
});

describe("removing", () => {
  it("goes with the caller's transaction", async () => {
    const [inline, object] = [await use().write(Buffer.alloc(10)), await use().write(Buffer.alloc(5_000))];
    let early: { finish(): Promise<void> } | undefined;
    const rolledBack = use().started.database.transaction(async (tx) => {
      early = await use().started.storage.removeFiles(tx, {
        tenantId: use().tenantId,
        fileIds: [inline.id, object.id],
      });
      // Before the end of the transaction nothing is to be removed yet.
      await early.finish();
      throw new Error("no");
    });
    await expect(rolledBack).rejects.toThrow("no");
    await early?.finish();
    expect([(await use().read(inline.id)).length, (await use().read(object.id)).length]).toEqual([10, 5_000]);
    const removal = await use().remove(inline.id, object.id);
    expect(await reasonOf(() => use().read(object.id))).toBe("RECORD_NOT_FOUND");
    await removal.finish();
    await use().assertEmpty();
  });

  it("takes more files at once than a statement takes parameters", async () => {
    const { id } = await use().write(Buffer.alloc(5_000));
    const others = Array.from({ length: 70_000 }, () => randomUUID());
    const removal = await use().remove(id, ...others);
    await removal.finish();
    expect(await reasonOf(() => use().read(id))).toBe("RECORD_NOT_FOUND");
    await use().assertEmpty();
  });

  it("removes nothing of another tenant", async () => {
    const { id } = await use().write(Buffer.alloc(5_000));
    const other = await addTenant(use().started.database);
    const fileIds = [id];
    const removal = await use().started.database.transaction((tx) =>
      use().started.storage.removeFiles(tx, { tenantId: other, fileIds }),
    );
    await removal.finish();
    expect((await use().read(id)).length).toBe(5_000);
  });
});
