import { AppError } from "@attune/service-kit/app-error.ts";
import { and, asc, count, desc, eq, getTableColumns, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { Queries, Transaction } from "../../../infra/db/create-database.ts";
import type { Storage } from "../../storage/index.ts";
import { datasetUploadPieces, datasetUploads } from "./tables.ts";

export type UploadRow = typeof datasetUploads.$inferSelect & {
  /** Whether somebody who is alive completes it. */
  readonly isClaimed: boolean;
};

/** Uploads are known to whoever began them. */
export interface UploadAddress {
  readonly tenantId: string;
  readonly datasetId: string;
  readonly userId: string;
  readonly id: string;
}

const { claimedUntil, state } = datasetUploads;
const isUnclaimed = or(isNull(claimedUntil), lt(claimedUntil, sql`now()`));
export const uploadColumns = {
  ...getTableColumns(datasetUploads),
  isClaimed: sql<boolean>`coalesce(${claimedUntil} >= now(), false)`,
};

const isAt = ({ tenantId, datasetId, userId, id }: UploadAddress): SQL | undefined =>
  and(
    eq(datasetUploads.id, id),
    eq(datasetUploads.tenantId, tenantId),
    eq(datasetUploads.datasetId, datasetId),
    eq(datasetUploads.userId, userId),
  );

/** @throws AppError `RECORD_NOT_FOUND`. */
export async function getUpload(queries: Queries, address: UploadAddress): Promise<UploadRow> {
  const [row] = await queries.select(uploadColumns).from(datasetUploads).where(isAt(address));
  if (row === undefined) throw new AppError("RECORD_NOT_FOUND");
  return row;
}

/** The newest first. */
export async function selectUploads(
  queries: Queries,
  { datasetId, userId }: Pick<UploadAddress, "datasetId" | "userId">,
  { beforeId, limit }: { readonly beforeId: string | undefined; readonly limit: number },
): Promise<UploadRow[]> {
  const { id } = datasetUploads;
  const isOwn = and(eq(datasetUploads.datasetId, datasetId), eq(datasetUploads.userId, userId));
  return queries
    .select(uploadColumns)
    .from(datasetUploads)
    .where(and(isOwn, beforeId === undefined ? undefined : lt(id, beforeId)))
    .orderBy(desc(id))
    .limit(limit);
}

export async function countOpen(queries: Queries, tenantId: string, userId: string): Promise<number> {
  const isTheirs = and(eq(datasetUploads.tenantId, tenantId), eq(datasetUploads.userId, userId));
  const [row] = await queries
    .select({ open: count() })
    .from(datasetUploads)
    .where(and(isTheirs, eq(state, "open")));
  return row?.open ?? 0;
}

export async function insertUpload(
  queries: Queries,
  row: Omit<typeof datasetUploads.$inferInsert, "state" | "createdAt" | "updatedAt">,
): Promise<UploadRow> {
  const now = sql`now()`;
  const [kept] = await queries
    .insert(datasetUploads)
    .values({ ...row, state: "open", createdAt: now, updatedAt: now })
    .returning();
  if (kept === undefined) throw new Error("An upload that was written did not come back.");
  return { ...kept, isClaimed: false };
}

export interface Piece {
  readonly uploadId: string;
  readonly firstByte: number;
  readonly sizeBytes: number;
  readonly fileId: string;
}

/** Adds a piece where the upload ends; false when it ends elsewhere, or is open no longer. */
export async function insertPiece(tx: Transaction, { sizeBytes, ...piece }: Piece): Promise<boolean> {
  const { uploadId, firstByte } = piece;
  const moved = await tx
    .update(datasetUploads)
    .set({ received: firstByte + sizeBytes, updatedAt: sql`now()` })
    .where(and(eq(datasetUploads.id, uploadId), eq(state, "open"), eq(datasetUploads.received, firstByte)))
    .returning({ id: datasetUploads.id });
  if (moved.length === 0) return false;
  await tx.insert(datasetUploadPieces).values(piece);
  return true;
}

/** The files of its pieces, in their order. */
export async function selectPieces(queries: Queries, uploadId: string): Promise<readonly string[]> {
  const rows = await queries
    .select({ fileId: datasetUploadPieces.fileId })
    .from(datasetUploadPieces)
    .where(eq(datasetUploadPieces.uploadId, uploadId))
    .orderBy(asc(datasetUploadPieces.firstByte));
  return rows.map(({ fileId }) => fileId);
}

/** Makes one caller of several the one who completes a whole upload; undefined for all others. */
export async function claimUpload(
  queries: Queries,
  { id, claimId, until }: { readonly id: string; readonly claimId: string; readonly until: SQL },
): Promise<UploadRow | undefined> {
  const isWhole = and(eq(state, "open"), eq(datasetUploads.received, datasetUploads.size));
  const [claimed] = await queries
    .update(datasetUploads)
    .set({ claimId, claimedUntil: until, updatedAt: sql`now()` })
    .where(and(eq(datasetUploads.id, id), isWhole, isUnclaimed))
    .returning();
  return claimed && { ...claimed, isClaimed: true };
}

type Change = Partial<Pick<typeof datasetUploads.$inferInsert, "versionNo" | "report" | "problem">> & {
  readonly state?: "completed" | "failed";
  readonly claimedUntil: SQL | null;
};

/** Changes what one has claimed; false when it is somebody else's by now. */
export async function updateClaimed(
  queries: Queries,
  { id, claimId }: { readonly id: string; readonly claimId: string },
  change: Change,
): Promise<boolean> {
  const changed = await queries
    .update(datasetUploads)
    .set({ ...change, updatedAt: sql`now()` })
    .where(and(eq(datasetUploads.id, id), eq(datasetUploads.claimId, claimId), eq(state, "open")))
    .returning({ id: datasetUploads.id });
  return changed.length > 0;
}

/** The row, which nobody else can change before the transaction ends. @throws AppError `RECORD_NOT_FOUND`. */
export async function lockUpload(tx: Transaction, address: UploadAddress): Promise<UploadRow> {
  const [row] = await tx.select(uploadColumns).from(datasetUploads).where(isAt(address)).for("update");
  if (row === undefined) throw new AppError("RECORD_NOT_FOUND");
  return row;
}

/** Those that nobody did anything with for so long, which no other node removes just now. */
export async function lockExpired(tx: Transaction, olderThan: SQL, limit: number): Promise<UploadRow[]> {
  return tx
    .select(uploadColumns)
    .from(datasetUploads)
    .where(and(lt(datasetUploads.updatedAt, olderThan), isUnclaimed))
    .limit(limit)
    .for("update", { skipLocked: true });
}

/** Removes the pieces with the transaction; their objects go when `finish` is called after it, or by the sweep. */
export async function removePieces(
  tx: Transaction,
  storage: Pick<Storage, "removeFiles">,
  { id, tenantId }: Pick<UploadRow, "id" | "tenantId">,
) {
  const fileIds = await selectPieces(tx, id);
  await tx.delete(datasetUploadPieces).where(eq(datasetUploadPieces.uploadId, id));
  return storage.removeFiles(tx, { tenantId, fileIds });
}

export async function deleteUpload(tx: Transaction, id: string): Promise<void> {
  await tx.delete(datasetUploads).where(eq(datasetUploads.id, id));
}
