import { and, eq, inArray, notExists, sql } from "drizzle-orm";
import type { Transaction } from "../../infra/db/create-database.ts";
import { removeGrants } from "../access/index.ts";
import type { Storage } from "../storage/index.ts";
import type { DatasetRow } from "./repo.ts";
import { datasetChunks, datasetFiles, datasets, datasetVersionChunks, datasetVersions } from "./tables.ts";
import { datasetUploadPieces, datasetUploads } from "./uploads/tables.ts";

export interface Purge {
  readonly versionCount: number;
  readonly fileCount: number;
  /** Removes the stored objects, once the transaction is committed; what it cannot do the sweep of the store does. */
  readonly finish: () => Promise<void>;
}

/** Removes a dataset with its versions, rows, files, unfinished uploads and grants, with the transaction. It must be locked. */
export async function purgeDataset(
  tx: Transaction,
  storage: Pick<Storage, "removeFiles">,
  { id, tenantId }: Pick<DatasetRow, "id" | "tenantId">,
): Promise<Purge> {
  const versionIds = await idsOf(tx, id);
  const fileIds = [...(await removeUploads(tx, id)), ...(await removeVersions(tx, versionIds))];
  const removal = await storage.removeFiles(tx, { tenantId, fileIds: [...new Set(fileIds)] });
  await removeGrants(tx, { resourceKind: "dataset", resourceId: id });
  await tx.delete(datasets).where(eq(datasets.id, id));
  return { versionCount: versionIds.length, fileCount: new Set(fileIds).size, finish: () => removal.finish() };
}

async function idsOf(tx: Transaction, datasetId: string): Promise<string[]> {
  const { id } = datasetVersions;
  const rows = await tx.select({ id }).from(datasetVersions).where(eq(datasetVersions.datasetId, datasetId));
  return rows.map((row) => row.id);
}

/** The files that their bytes lie in. */
async function removeUploads(tx: Transaction, datasetId: string): Promise<string[]> {
  const uploads = await tx
    .select({ id: datasetUploads.id })
    .from(datasetUploads)
    .where(eq(datasetUploads.datasetId, datasetId))
    .for("update");
  const ids = uploads.map(({ id }) => id);
  const pieces = await tx
    .delete(datasetUploadPieces)
    .where(inArray(datasetUploadPieces.uploadId, ids))
    .returning({ fileId: datasetUploadPieces.fileId });
  await tx.delete(datasetUploads).where(inArray(datasetUploads.id, ids));
  return pieces.map(({ fileId }) => fileId);
}

async function removeVersions(tx: Transaction, versionIds: readonly string[]): Promise<string[]> {
  const ofVersions = inArray(datasetVersionChunks.versionId, [...versionIds]);
  const placed = await tx
    .selectDistinct({ id: datasetVersionChunks.chunkId })
    .from(datasetVersionChunks)
    .where(ofVersions);
  await tx.delete(datasetVersionChunks).where(ofVersions);
  await removeChunks(
    tx,
    placed.map(({ id }) => id),
  );
  const files = await tx
    .delete(datasetFiles)
    .where(inArray(datasetFiles.versionId, [...versionIds]))
    .returning({ fileId: datasetFiles.fileId });
  await tx.delete(datasetVersions).where(inArray(datasetVersions.id, [...versionIds]));
  return files.flatMap(({ fileId }) => fileId ?? []);
}

const batchSize = 1000;

/** One that a version of another dataset came to share would stay. */
async function removeChunks(tx: Transaction, chunkIds: readonly string[]): Promise<void> {
  const placed = tx
    .select({ one: sql`1` })
    .from(datasetVersionChunks)
    .where(eq(datasetVersionChunks.chunkId, datasetChunks.id));
  for (let at = 0; at < chunkIds.length; at += batchSize) {
    const ids = chunkIds.slice(at, at + batchSize);
    await tx.delete(datasetChunks).where(and(inArray(datasetChunks.id, ids), notExists(placed)));
  }
}
