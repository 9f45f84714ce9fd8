import { AppError } from "@attune/service-kit/app-error.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "../../infra/db/create-database.ts";
import type { ObjectDigest } from "../../infra/storage/object-store.ts";
import { readBody, readUntil } from "../../infra/storage/read-body.ts";
import { mayLieInline } from "./policy.ts";
import { readHead, type SplitBody } from "./read-head.ts";
import { removeObject } from "./remove-files.ts";
import { fromNow } from "./repo.ts";
import type { FileToWrite, StorageDeps, StoredFile } from "./service.ts";
import { files, storageObjects } from "./tables.ts";

/** A file whose content is safe, and which is not there yet. */
export interface StagedFile extends AsyncDisposable {
  readonly file: StoredFile;
  /**
   * Makes it last, with the transaction. May be called again when that was rolled back.
   * @throws AppError `STORAGE_UNAVAILABLE` when this process was stopped for so long that the content was given up.
   */
  attach(tx: Transaction): Promise<void>;
}

/** The content is read once; disposing of the file removes what no committed transaction attached. */
export async function stageFile(deps: StorageDeps, given: FileToWrite): Promise<StagedFile> {
  const { policy } = deps;
  const { body, mediaType, placement, signal } = given;
  const pieces = body instanceof Uint8Array ? [body] : body;
  const chunks = readUntil(toAsync(pieces), signal);
  const isInlineAllowed = placement !== "object" && mayLieInline(policy, mediaType);
  const split = await readHead(chunks, isInlineAllowed ? policy.inlineMaxBytes : 0);
  if (isInlineAllowed && split.isWhole) return stageInline(deps, given, split.head);
  return stageObject(deps, given, split);
}

async function stageInline(deps: StorageDeps, given: FileToWrite, content: Buffer): Promise<StagedFile> {
  const reader = readBody(content, given.expected);
  for await (const _ of reader.chunks);
  const file: StoredFile = { id: createId(), ...reader.finish(), mediaType: given.mediaType, objectId: undefined };
  await deps.crashPoint("write: read");
  return {
    file,
    attach: async (tx) => {
      await insertFile(tx, { given, file, content });
      await deps.crashPoint("write: attached");
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

async function stageObject(deps: StorageDeps, given: FileToWrite, split: SplitBody): Promise<StagedFile> {
  const lease = await reserve(deps, given).catch(async (error: unknown) => {
    await split.discard();
    throw error;
  });
  const { objectId, key } = lease;
  try {
    const digest = await put(deps, { ...given, key }, split);
    await deps.crashPoint("write: stored");
    const file: StoredFile = { id: createId(), ...digest, mediaType: given.mediaType, objectId };
    return {
      file,
      attach: async (tx) => {
        await markLive(tx, objectId, digest);
        await insertFile(tx, { given, file, content: null });
        await deps.crashPoint("write: attached");
      },
      [Symbol.asyncDispose]: () => settle(deps, lease),
    };
  } catch (error) {
    await settle(deps, lease);
    throw error;
  }
}

interface Lease {
  readonly objectId: string;
  readonly key: string;
  readonly beat: NodeJS.Timeout;
}

/** Writes down, in its own transaction, that an object of this key may come to be, and keeps saying that its writer lives. */
async function reserve(deps: StorageDeps, { tenantId, owner, mediaType }: FileToWrite): Promise<Lease> {
  const { database, stores, policy, logger } = deps;
  const objectId = createId();
  // The last digits of an id are random, and spread objects over 256 folders.
  const key = `${tenantId}/${objectId.slice(-2)}/${objectId}`;
  const leasedUntil = fromNow(policy.leaseMs);
  await database.queries.insert(storageObjects).values({
    id: objectId,
    tenantId,
    store: stores.current.name,
    key,
    mediaType,
    ownerKind: owner.kind,
    ownerId: owner.id,
    state: "pending",
    leasedUntil,
    createdAt: sql`now()`,
    updatedAt: sql`now()`,
  });
  const renew = () =>
    database.queries
      .update(storageObjects)
      .set({ leasedUntil })
      .where(and(eq(storageObjects.id, objectId), eq(storageObjects.state, "pending")))
      .catch((error: unknown) => logger.warn({ error, objectId }, "the lease of a write could not be renewed"));
  const beat = setInterval(() => void renew(), policy.leaseMs / 4).unref();
  await deps.crashPoint("write: reserved");
  return { objectId, key, beat };
}

interface ObjectToPut extends FileToWrite {
  readonly key: string;
}

async function put(deps: StorageDeps, object: ObjectToPut, { head, rest }: SplitBody): Promise<ObjectDigest> {
  const { key, mediaType, expected, signal } = object;
  async function* whole() {
    yield head;
    await deps.crashPoint("write: streaming");
    yield* rest;
    await deps.crashPoint("write: streamed");
  }
  const options = { mediaType, ...(expected && { expected }), ...(signal && { signal }) };
  return deps.stores.current.put(key, whole(), options);
}

async function markLive(tx: Transaction, objectId: string, { sizeBytes, sha256 }: ObjectDigest): Promise<void> {
  const marked = await tx
    .update(storageObjects)
    .set({ state: "live", sizeBytes, sha256: Buffer.from(sha256, "hex"), updatedAt: sql`now()` })
    .where(and(eq(storageObjects.id, objectId), eq(storageObjects.state, "pending")))
    .returning({ id: storageObjects.id });
  if (marked.length === 1) return;
  throw new AppError("STORAGE_UNAVAILABLE", { detail: "The write took a pause that was too long, and was given up." });
}

interface FileRow {
  readonly given: FileToWrite;
  readonly file: StoredFile;
  readonly content: Buffer | null;
}

async function insertFile(tx: Transaction, { given, file, content }: FileRow): Promise<void> {
  const { tenantId, owner } = given;
  const { id, mediaType, sizeBytes, sha256, objectId = null } = file;
  const place = { content, objectId, sha256: Buffer.from(sha256, "hex") };
  const row = { id, tenantId, ownerKind: owner.kind, ownerId: owner.id, mediaType, sizeBytes, ...place };
  await tx.insert(files).values({ ...row, createdAt: sql`now()` });
}

/**
 * After the transaction, however it ended: the row knows. A commit whose answer was lost still holds the row, and is waited
 * for. Never throws; what it cannot do the sweep does.
 */
async function settle(deps: StorageDeps, { objectId, key, beat }: Lease): Promise<void> {
  const { database, stores, logger } = deps;
  try {
    const state = await database.transaction(async (tx) => {
      const [row] = await tx
        .select({ state: storageObjects.state })
        .from(storageObjects)
        .where(eq(storageObjects.id, objectId))
        .for("update");
      if (row?.state !== "pending") return row?.state;
      await tx
        .update(storageObjects)
        .set({ state: "deleting", updatedAt: sql`now()` })
        .where(eq(storageObjects.id, objectId));
      return "deleting";
    });
    // Without a row, the sweep gave the write up; what was written since is an object that nobody knows.
    if (state !== "live") await removeObject(deps, { id: objectId, key, store: stores.current.name });
  } catch (error) {
    logger.warn({ error, objectId }, "an object that was not attached is left to the sweep");
  } finally {
    clearInterval(beat);
  }
}

async function* toAsync(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
