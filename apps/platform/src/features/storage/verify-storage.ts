import { createHash } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import { and, asc, eq, gt, inArray, isNotNull, lte, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Database } from "../../infra/db/create-database.ts";
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
  for await (const { sizeBytes, fault } of verifyObjects(deps, whole, signal)) {
    counts.objectCount++;
    counts.sizeBytes += sizeBytes;
    note(fault);
  }
  for await (const { sizeBytes, fault } of verifyInline(deps, whole, signal)) {
    counts.inlineCount++;
    counts.sizeBytes += sizeBytes;
    note(fault);
  }
  for await (const fault of findUnknown(deps, signal)) note(fault);
  return counts;
}

/** Ids that follow `after`, up to `until` and with it; all of them where neither is given. */
export interface IdRange {
  readonly after?: string | undefined;
  readonly until?: string | undefined;
}

const whole: IdRange = {};

export interface Verified {
  readonly sizeBytes: number;
  readonly fault: StorageFault | undefined;
}

/** Reads the objects whose rows lie in the range, and compares them with what was written. */
export async function* verifyObjects(deps: VerifyDeps, range: IdRange, signal?: AbortSignal): AsyncGenerator<Verified> {
  for await (const row of listLive(deps, range)) {
    signal?.throwIfAborted();
    yield { sizeBytes: row.sizeBytes ?? 0, fault: await verifyObject(deps, row) };
  }
}

/** The same for files whose content lies in the database. */
export async function* verifyInline(deps: VerifyDeps, range: IdRange, signal?: AbortSignal): AsyncGenerator<Verified> {
  for await (const { id, sizeBytes, isRight, ownerKind, ownerId } of listInline(deps, range)) {
    signal?.throwIfAborted();
    const fault = { kind: "damaged", subject: id, owner: `${ownerKind} ${ownerId}` } as const;
    yield { sizeBytes, fault: isRight ? undefined : fault };
  }
}

/** Cuts all that is stored into ranges of so many; the last one of each has no end. */
export async function cutRanges(
  { queries }: Database,
  rangeSize: number,
): Promise<{ readonly objects: readonly IdRange[]; readonly inline: readonly IdRange[] }> {
  const cut = async (table: typeof storageObjects | typeof files, isMeant: SQL): Promise<readonly IdRange[]> => {
    const place = sql<number>`row_number() over (order by ${table.id})`.as("place");
    const numbered = queries.select({ id: table.id, place }).from(table).where(isMeant).as("numbered");
    const ends = await queries
      .select({ id: numbered.id })
      .from(numbered)
      .where(sql`${numbered.place} % ${rangeSize} = 0`)
      .orderBy(asc(numbered.id));
    const ids = ends.map(({ id }) => id);
    return [...ids, undefined].map((until, index) => ({ after: ids[index - 1], until }));
  };
  return {
    objects: await cut(storageObjects, eq(storageObjects.state, "live")),
    inline: await cut(files, isNotNull(files.content)),
  };
}

type ObjectRow = typeof storageObjects.$inferSelect;

async function* listLive({ database: { queries } }: VerifyDeps, range: IdRange): AsyncGenerator<ObjectRow> {
  for (let lastId = range.after; ;) {
    const isNext = within(storageObjects.id, { after: lastId, until: range.until });
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

async function* listInline({ database: { queries } }: VerifyDeps, range: IdRange) {
  const { id, ownerKind, ownerId, sizeBytes, content, sha256 } = files;
  // The database computes it, so that no content travels.
  const isRight = sql<boolean>`sha256(${content}) = ${sha256}`;
  for (let lastId = range.after; ;) {
    const page = await queries
      .select({ id, ownerKind, ownerId, sizeBytes, isRight })
      .from(files)
      .where(and(isNotNull(content), within(id, { after: lastId, until: range.until })))
      .orderBy(asc(id))
      .limit(pageSize);
    yield* page;
    lastId = page.at(-1)?.id;
    if (page.length < pageSize) return;
  }
}

function within(id: PgColumn, { after, until }: IdRange): SQL | undefined {
  return and(after === undefined ? undefined : gt(id, after), until === undefined ? undefined : lte(id, until));
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

/** Objects in the store that no record knows. */
export async function* findUnknown(deps: VerifyDeps, signal?: AbortSignal): AsyncGenerator<StorageFault> {
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
