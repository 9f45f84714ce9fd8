import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createId } from "@attune/service-kit/create-id.ts";
import { createTestDatabase, type TestDatabase } from "@attune/testkit/test-database.ts";
import { afterEach, beforeEach, expect } from "vitest";
import { migrate } from "../../infra/db/migrate.ts";
import type { ByteRange } from "../../infra/storage/object-store.ts";
import { bytesOf } from "../../infra/storage/store-fixture.contract.ts";
import type { Removal } from "./remove-files.ts";
import type { FileToWrite, StoredFile } from "./service.ts";
import { addTenant, startStorage, type StartedStorage } from "./start-storage.fixture.ts";
import { files, storageObjects } from "./tables.ts";

export interface StorageUnderTest {
  readonly database: TestDatabase;
  /** Folder of its store. */
  readonly path: string;
  readonly started: StartedStorage;
  readonly tenantId: string;
  toFile(body: FileToWrite["body"], more?: Partial<FileToWrite>): FileToWrite;
  write(body: FileToWrite["body"], more?: Partial<FileToWrite>): Promise<StoredFile>;
  read(fileId: string, range?: ByteRange): Promise<Buffer>;
  remove(...fileIds: string[]): Promise<Removal>;
  listStates(): Promise<string[]>;
  listKeys(): Promise<string[]>;
  assertEmpty(): Promise<void>;
}

/** A storage on the file system with a database of its own for every test; call the function that it gives inside a test. */
export function useStorage(): () => StorageUnderTest {
  let current: StorageUnderTest;
  beforeEach(async () => {
    const migrationsFolder = join(import.meta.dirname, "../../../drizzle");
    const times = { connectTimeoutMs: 10_000, lockTimeoutMs: 60_000 };
    const database = await createTestDatabase({ migrationsFolder, migrate: (url) => migrate(url, times) });
    const path = await mkdtemp(join(tmpdir(), "attune-storage-"));
    const started = await startStorage({ databaseUrl: database.url, path });
    current = createCalls({ database, path, started, tenantId: await addTenant(started.database) });
  }, 120_000);
  afterEach(async () => {
    await current.started[Symbol.asyncDispose]();
    await rm(current.path, { recursive: true });
    await current.database.drop();
  });
  return () => current;
}

function createCalls(parts: Pick<StorageUnderTest, "database" | "path" | "started" | "tenantId">): StorageUnderTest {
  const { path, tenantId } = parts;
  const { storage, store, database } = parts.started;
  const { queries } = database;
  const toFile: StorageUnderTest["toFile"] = (body, more = {}) => {
    const owner = { kind: "test", id: createId() };
    return { tenantId, owner, mediaType: "text/plain", body, ...more };
  };
  const listStates = async () =>
    (await queries.select({ state: storageObjects.state }).from(storageObjects)).map(({ state }) => state);
  const listKeys = async () => {
    const keys: string[] = [];
    for await (const { key } of store.list("")) keys.push(key);
    return keys;
  };
  return {
    ...parts,
    toFile,
    write: (body, more) => storage.writeFile(toFile(body, more), async (_, stored) => stored),
    read: async (fileId, range) => {
      const opened = await storage.openFile(queries, { tenantId, fileId }, { ...(range && { range }) });
      return bytesOf(opened.stream);
    },
    remove: (...fileIds) => database.transaction((tx) => storage.removeFiles(tx, { tenantId, fileIds })),
    listStates,
    listKeys,
    assertEmpty: async () => {
      expect([await listStates(), await listKeys(), await readdir(join(path, "temporary"))]).toEqual([[], [], []]);
      expect(await queries.$count(files)).toBe(0);
    },
  };
}
