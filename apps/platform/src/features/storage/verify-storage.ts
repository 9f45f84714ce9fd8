import { createHash } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import { and, asc, eq, gt, inArray, isNotNull, sql } from "drizzle-orm";
import type { ObjectStore } from "../../infra/storage/object-store.ts";
import type { StorageDeps } from "./service.ts";
import { files, storageObjects } from "./tables.ts";

export type StorageFaultKind =
  /** A record's object is not in the store. */
  | "missing"
  /** It is there, and is not what was written. */
  | "damaged"
  /** It could not be read to its end. */
  | "unreadable"
  /** An object that no record knows. */
  | "unknown";

export interface StorageFault {
  readonly kind: StorageFaultKind;
  /** Key of the object, or the file whose content lies in the database. */
  readonly subject: string;
  /** The record that it belongs to. */
  readonly owner?: string;
  readonly detail?: string;
}

export interface VerifyReport {
  readonly objectCount: number;
  readonly inlineCount: number;
  readonly sizeBytes: number;
  readonly faultCount: number;
}

const pageSize = 200;

type VerifyDeps = Pick<StorageDeps, "database" | "stores">;

/**
 * Reads everything that the database says is stored, and everything in the store; each fault is told when it is found. What is
 * written or removed meanwhile is none.
 * @throws AppError `STORAGE_UNAVAILABLE`, `STORAGE_DENIED` when the store as a whole does not answer.
 */
export async function verifyStorage(
  deps: VerifyDeps,
  tell: (fault: StorageFault) => void,
  signal?: AbortSignal,
): Promise<VerifyReport> {
  const counts = { objectCount: 0, inlineCount: 0, sizeBytes: 0, faultCount: 0 };
  const note = (fault: StorageFault | undefined) => {
    if (fault === undefined) return;
    counts.faultCount++;
    tell(fault);
  };
  for await (const row of listLive(deps)) {
    signal?.throwIfAborted();
    counts.objectCount++;
    counts.sizeBytes += row.sizeBytes ?? 0;
    note(await verifyObject(deps, row));
  }
  for await (const file of listInline(deps)) {
    signal?.throwIfAborted();
    counts.inlineCount++;
    counts.sizeBytes += file.sizeBytes;
    if (!file.isRight) note({ kind: "damaged", subject: file.id, owner: `${file.ownerKind} ${file.ownerId}` });
  }
  for await (const fault of findUnknown(deps, signal)) note(fault);
  return counts;
}

type ObjectRow = typeof storageObjects.$inferSelect;

async function* listLive({ database: { queries } }: VerifyDeps): AsyncGenerator<ObjectRow> {
  for (let lastId: string | undefined; ;) {
    const isNext = lastId === undefined ? undefined : gt(storageObjects.id, lastId);
    const page = await queries
      .select()
      .from(storageObjects)
      .where(and(eq(storageObjects.state, "live"), isNext))
      .orderBy(asc(storageObjects.id))
      .limit(pageSize);
    yield* page;
    lastId = page.at(-1)?.id;
    if (page.length < pageSize) return;
  }
}

async function* listInline({ database: { queries } }: VerifyDeps) {
  const { id, ownerKind, ownerId, sizeBytes, content, sha256 } = files;
  // The database computes it, so that no content travels.
  const isRight = sql<boolean>`sha256(${content}) = ${sha256}`;
  for (let lastId: string | undefined; ;) {
    const page = await queries
      .select({ id, ownerKind, ownerId, sizeBytes, isRight })
      .from(files)
      .where(and(isNotNull(content), lastId === undefined ? undefined : gt(id, lastId)))
      .orderBy(asc(id))
      .limit(pageSize);
    yield* page;
    lastId = page.at(-1)?.id;
    if (page.length < pageSize) return;
  }
}

async function verifyObject(deps: VerifyDeps, row: ObjectRow): Promise<StorageFault | undefined> {
  const found = await findObjectFault(await deps.stores.get(row.store), row);
  if (found === undefined) return undefined;
  const [still] = await deps.database.queries
    .select({ state: storageObjects.state })
    .from(storageObjects)
    .where(eq(storageObjects.id, row.id));
  if (still?.state !== "live") return undefined;
  return { ...found, subject: row.key, owner: `${row.ownerKind} ${row.ownerId}` };
}

type ObjectFault = Pick<StorageFault, "kind" | "detail">;

async function findObjectFault(store: ObjectStore, row: ObjectRow): Promise<ObjectFault | undefined> {
  try {
    const { stream, sizeBytes } = await store.get(row.key);
    if (sizeBytes !== row.sizeBytes) {
      stream.destroy();
      return { kind: "damaged", detail: `it has ${sizeBytes} bytes, not ${row.sizeBytes}` };
    }
    const hash = createHash("sha256");
    for await (const chunk of stream as AsyncIterable<Buffer>) hash.update(chunk);
    const isRight = row.sha256 !== null && hash.digest().equals(row.sha256);
    return isRight ? undefined : { kind: "damaged", detail: "its SHA-256 is another" };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.reason === "STORAGE_OBJECT_NOT_FOUND") return { kind: "missing" };
    // One object may be beyond reach; without a store nothing can be said of any.
    const health = await store.probe();
    if (!health.isAvailable) throw error;
    return { kind: "unreadable", detail: error.reason };
  }
}

async function* findUnknown(deps: VerifyDeps, signal?: AbortSignal): AsyncGenerator<StorageFault> {
  const { current } = deps.stores;
  let keys: string[] = [];
  for await (const { key } of current.list("", signal === undefined ? {} : { signal })) {
    keys.push(key);
    if (keys.length < pageSize) continue;
    yield* judgeKeys(deps, keys);
    keys = [];
  }
  yield* judgeKeys(deps, keys);
}

// The row of an object is there before the object and goes after it, so a key without a row belongs to none, or is just gone.
async function* judgeKeys({ database, stores: { current } }: VerifyDeps, keys: string[]): AsyncGenerator<StorageFault> {
  if (keys.length === 0) return;
  const known = await database.queries
    .select({ key: storageObjects.key })
    .from(storageObjects)
    .where(and(eq(storageObjects.store, current.name), inArray(storageObjects.key, keys)));
  const names = new Set(known.map(({ key }) => key));
  for (const key of keys) {
    if (!names.has(key) && (await current.exists(key))) yield { kind: "unknown", subject: key };
  }
}
