import { createId } from "@attune/service-kit/create-id.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { Secret } from "@attune/service-kit/secret.ts";
import { createDatabase, type Database } from "../../infra/db/create-database.ts";
import { createFilesystemStore } from "../../infra/storage/filesystem/filesystem-store.ts";
import type { ObjectStore } from "../../infra/storage/object-store.ts";
import { defaultS3Settings } from "../../infra/storage/s3/s3-connection.ts";
import { createS3Store } from "../../infra/storage/s3/s3-store.ts";
import type { StoragePolicy } from "../../infra/storage/storage-settings.ts";
import { tenants } from "../identity/index.ts";
import { type CrashPoint, createStorage, type Storage, type StorageDeps } from "./service.ts";

/** Plain values, so that another process can be given them. */
export interface StorageAddress {
  readonly databaseUrl: string;
  /** Folder of a store on the file system; else a server. */
  readonly path?: string;
  readonly s3?: {
    readonly endpoint: string;
    readonly region: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
  };
}

export interface StartedStorage extends AsyncDisposable {
  readonly storage: Storage;
  readonly deps: StorageDeps;
  readonly store: ObjectStore;
  readonly database: Database;
}

export const testPolicy: StoragePolicy = {
  inlineMaxBytes: 1_000,
  inlineMediaTypes: ["text/*"],
  leaseMs: 200,
  removalMs: 0,
  // Clocks of a store may be ahead, and its times of whole seconds.
  unfinishedMs: -5_000,
};

export async function startStorage(
  address: StorageAddress,
  { policy = {}, crashPoint = async () => {} }: { policy?: Partial<StoragePolicy>; crashPoint?: CrashPoint } = {},
): Promise<StartedStorage> {
  const logger = createLogger("test", "silent");
  const times = { connectTimeoutMs: 10_000, statementTimeoutMs: 30_000, maxConnections: 5 };
  const database = createDatabase({ url: address.databaseUrl, ...times }, logger);
  const store = await openStore(address, crashPoint);
  const stores = { current: store, get: async () => store, close: () => store.close() };
  const deps = { database, stores, policy: { ...testPolicy, ...policy }, logger, crashPoint };
  return {
    storage: createStorage(deps),
    deps,
    store,
    database,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await database.close();
    },
  };
}

async function openStore({ path, s3 }: StorageAddress, crashPoint: CrashPoint): Promise<ObjectStore> {
  if (s3 === undefined) {
    return createFilesystemStore({ path: path ?? "", publicUrl: "http://localhost:8080" }, { crashPoint });
  }
  const { endpoint, region, accessKeyId, secretAccessKey } = s3;
  const access = { endpoint, region, accessKeyId, secretAccessKey: new Secret(secretAccessKey) };
  return createS3Store({ ...defaultS3Settings, maxAttempts: 1, partsAtOnce: 1, bucket: "objects", ...access });
}

export async function addTenant({ queries }: Database): Promise<string> {
  const id = createId();
  await queries.insert(tenants).values({ id, name: id, createdAt: new Date() });
  return id;
}
