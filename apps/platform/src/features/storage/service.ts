import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { Database, Queries, Transaction } from "../../infra/db/create-database.ts";
import type { ByteRange, ExpectedObject, ObjectBody, SignedLink } from "../../infra/storage/object-store.ts";
import type { ObjectStores } from "../../infra/storage/object-stores.ts";
import type { StoragePolicy } from "../../infra/storage/storage-settings.ts";
import { findFileLink, type OpenedFile, openFile } from "./read-file.ts";
import { type Removal, removeFiles } from "./remove-files.ts";
import { type StagedFile, stageFile } from "./stage-file.ts";
import { type RunningSweep, startStorageSweep, type StorageSweepReport, sweepStorage } from "./sweep-storage.ts";

/** Called between the steps of a write or a removal. Tests end the process there. */
export type CrashPoint = (name: string) => Promise<void>;

export interface StorageDeps {
  readonly database: Database;
  readonly stores: ObjectStores;
  readonly policy: StoragePolicy;
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
}

export interface FileToWrite {
  readonly tenantId: string;
  /** The record that the file is a part of. */
  readonly owner: { readonly kind: string; readonly id: string };
  readonly mediaType: string;
  readonly body: ObjectBody;
  readonly expected?: ExpectedObject;
  /** `object`: never in the database, however small. */
  readonly placement?: "object";
  readonly signal?: AbortSignal;
}

/** What is known of a file that was written. */
export interface StoredFile {
  readonly id: string;
  readonly sizeBytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  readonly mediaType: string;
  /** Undefined when the content lies in the database. */
  readonly objectId: string | undefined;
}

export interface FileAddress {
  readonly tenantId: string;
  readonly fileId: string;
}

export interface FileReading {
  readonly range?: ByteRange;
  readonly signal?: AbortSignal;
}

export interface LinkRequest {
  readonly fileName?: string;
  readonly expiresInSeconds: number;
}

/** The one way to write, read and remove what records keep. */
export interface Storage {
  /**
   * Writes the content and then runs `commit` in one transaction with what makes it last. When anything fails, `commit`
   * included, nothing is left.
   * @throws AppError `STORAGE_…`, and whatever `body` or `commit` throws.
   */
  writeFile<T>(file: FileToWrite, commit: (tx: Transaction, stored: StoredFile) => Promise<T>): Promise<T>;
  /** The first half of `writeFile`, for who writes several files in one transaction. Dispose of it after the transaction. */
  stageFile(file: FileToWrite): Promise<StagedFile>;
  /** @throws AppError `RECORD_NOT_FOUND`, `STORAGE_OBJECT_NOT_FOUND`, `STORAGE_RANGE_INVALID`, `STORAGE_UNAVAILABLE`. */
  openFile(queries: Queries, address: FileAddress, reading?: FileReading): Promise<OpenedFile>;
  /** A link to the content; undefined where it lies in the database, and must be sent by the platform. */
  findFileLink(queries: Queries, address: FileAddress, request: LinkRequest): Promise<SignedLink | undefined>;
  /** Removes files with the caller's transaction; their objects go when that has been committed. */
  removeFiles(tx: Transaction, request: FilesToRemove): Promise<Removal>;
  /** Removes what crashes left; see `StorageSweepReport`. */
  sweep(): Promise<StorageSweepReport>;
  /** Sweeps now and then until it is stopped. */
  startSweep(): RunningSweep;
}

export interface FilesToRemove {
  readonly tenantId: string;
  readonly fileIds: readonly string[];
}

export function createStorage(given: Omit<StorageDeps, "crashPoint"> & Partial<StorageDeps>): Storage {
  const deps: StorageDeps = { crashPoint: async () => {}, ...given };
  return {
    writeFile: async (file, commit) => {
      await using staged = await stageFile(deps, file);
      const result = await deps.database.transaction(async (tx) => {
        await staged.attach(tx);
        return commit(tx, staged.file);
      });
      await deps.crashPoint("write: committed");
      return result;
    },
    stageFile: (file) => stageFile(deps, file),
    openFile: (queries, address, reading = {}) => openFile({ ...deps, queries }, address, reading),
    findFileLink: (queries, address, request) => findFileLink({ ...deps, queries }, address, request),
    removeFiles: (tx, request) => removeFiles(deps, tx, request),
    sweep: () => sweepStorage(deps),
    startSweep: () => startStorageSweep(deps),
  };
}
