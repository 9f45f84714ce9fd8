import { AppError } from "@attune/service-kit/app-error.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import { and, asc, desc, eq, gte, lt, lte, max, type SQL, sql } from "drizzle-orm";
import type { Queries, Transaction } from "../../infra/db/create-database.ts";
import { unpackRows } from "./pack-rows.ts";
import type { DatasetRow } from "./repo.ts";
import type { Placement } from "./row-writer.ts";
import { datasetChunks, datasetFiles, datasets, datasetVersionChunks, datasetVersions } from "./tables.ts";

export type VersionRow = typeof datasetVersions.$inferSelect;
export type VersionFileRow = typeof datasetFiles.$inferSelect;
export type VersionFile = Omit<VersionFileRow, "versionId" | "fileNo">;

export interface NewVersion extends Pick<VersionRow, "origin" | "layout" | "mapping" | "report" | "createdBy"> {
  readonly files: readonly VersionFile[];
  readonly placements: readonly Placement[];
}

/**
 * Makes the next version of a dataset. Its counts, and those of the dataset, are the sums of its files'.
 * @throws AppError `VERSION_CONFLICT` when the dataset no longer has the version `baseNo`, or is deleted.
 */
export async function insertVersion(
  tx: Transaction,
  { id: datasetId, baseNo }: { readonly id: string; readonly baseNo: number },
  given: NewVersion,
): Promise<VersionRow> {
  const { files, placements, ...facts } = given;
  const [dataset] = await tx.select().from(datasets).where(eq(datasets.id, datasetId)).for("update");
  if (dataset?.versionNo !== baseNo || dataset.deletedAt !== null) throw new AppError("VERSION_CONFLICT");
  const sums = { size: sum(files, "size"), rawCount: sum(files, "rawCount"), recordCount: sum(files, "recordCount") };
  const [version] = await tx
    .insert(datasetVersions)
    .values({
      ...facts,
      ...sums,
      id: createId(),
      datasetId,
      versionNo: baseNo + 1,
      parentVersionNo: baseNo === 0 ? null : baseNo,
      createdAt: new Date(),
    })
    .returning();
  if (version === undefined) throw new Error("A version that was written did not come back.");
  const versionId = version.id;
  await tx.insert(datasetFiles).values(files.map((file, fileNo) => ({ ...file, versionId, fileNo })));
  await insertPlacements(tx, versionId, placements);
  await updateSums(tx, dataset, version);
  return version;
}

const sum = (files: readonly VersionFile[], key: "size" | "rawCount" | "recordCount"): number =>
  files.reduce((total, file) => total + file[key], 0);

/** One statement, however many chunks. */
async function insertPlacements(tx: Transaction, versionId: string, placements: readonly Placement[]): Promise<void> {
  if (placements.length === 0) return;
  const list = JSON.stringify(
    placements.map(({ firstRow, rowCount, fileNo, chunkId }) => [firstRow, rowCount, fileNo, chunkId]),
  );
  await tx.execute(sql`
    insert into ${datasetVersionChunks} (version_id, first_row, row_count, file_no, chunk_id)
    select ${versionId}::uuid, (place->>0)::int, (place->>1)::int, (place->>2)::int, (place->>3)::uuid
    from jsonb_array_elements(${list}::jsonb) as place`);
}

async function updateSums(tx: Transaction, dataset: DatasetRow, version: VersionRow): Promise<void> {
  const { size, recordCount, versionNo, layout } = version;
  await tx
    .update(datasets)
    .set({ size, recordCount, versionNo, layout, version: dataset.version + 1, updatedAt: new Date() })
    .where(eq(datasets.id, dataset.id));
}

export async function findVersion(
  queries: Queries,
  datasetId: string,
  versionNo: number,
): Promise<VersionRow | undefined> {
  const where = and(eq(datasetVersions.datasetId, datasetId), eq(datasetVersions.versionNo, versionNo));
  const [row] = await queries.select().from(datasetVersions).where(where);
  return row;
}

/** @throws AppError `RECORD_NOT_FOUND`. */
export async function getVersion(queries: Queries, datasetId: string, versionNo: number): Promise<VersionRow> {
  const version = await findVersion(queries, datasetId, versionNo);
  if (version === undefined) throw new AppError("RECORD_NOT_FOUND");
  return version;
}

/** The latest first. */
export async function selectVersions(
  queries: Queries,
  datasetId: string,
  page: { readonly beforeNo: number | undefined; readonly limit: number },
): Promise<VersionRow[]> {
  const before = page.beforeNo === undefined ? undefined : lt(datasetVersions.versionNo, page.beforeNo);
  return queries
    .select()
    .from(datasetVersions)
    .where(and(eq(datasetVersions.datasetId, datasetId), before))
    .orderBy(desc(datasetVersions.versionNo))
    .limit(page.limit);
}

export async function selectFiles(queries: Queries, versionId: string): Promise<VersionFileRow[]> {
  return queries
    .select()
    .from(datasetFiles)
    .where(eq(datasetFiles.versionId, versionId))
    .orderBy(asc(datasetFiles.fileNo));
}

/** Where the chunks of a version are: 60 bytes for each, a few thousand for a dataset of 1 GB. */
export async function selectPlacements(queries: Queries, versionId: string): Promise<Placement[]> {
  const { firstRow, rowCount, fileNo, chunkId } = datasetVersionChunks;
  return queries
    .select({ firstRow, rowCount, fileNo, chunkId })
    .from(datasetVersionChunks)
    .where(eq(datasetVersionChunks.versionId, versionId))
    .orderBy(asc(firstRow));
}

export async function readChunk(queries: Queries, chunkId: string): Promise<string[]> {
  const [chunk] = await queries
    .select({ rows: datasetChunks.rows })
    .from(datasetChunks)
    .where(eq(datasetChunks.id, chunkId));
  if (chunk === undefined) throw new Error(`The chunk ${chunkId} is missing.`);
  return unpackRows(chunk.rows);
}

export interface StoredRow {
  /** From 0. */
  readonly index: number;
  readonly fileNo: number;
  readonly text: string;
}

/** Chunks that one query reads: few enough for the memory, many enough that a scan does not wait for each. */
const chunksAtOnce = 8;
const rowsAtOnce = 1600;

export interface RowsWanted {
  /** The first row, from 0. */
  readonly offset: number;
  /** Rows that are surely wanted; what else is read, is read as long as it is asked for. */
  readonly count?: number;
}

/** The rows of a version from `offset` on, chunk by chunk; any offset costs the same. */
export async function* readRowsFrom(
  queries: Queries,
  versionId: string,
  { offset, count = rowsAtOnce }: RowsWanted,
): AsyncGenerator<readonly StoredRow[]> {
  const { firstRow } = datasetVersionChunks;
  const isOfVersion = eq(datasetVersionChunks.versionId, versionId);
  const before = queries
    .select({ start: max(firstRow) })
    .from(datasetVersionChunks)
    .where(and(isOfVersion, lte(firstRow, offset)));
  let chunks = await selectPlaced(queries, and(isOfVersion, gte(firstRow, before), lt(firstRow, offset + count)));
  for (let last = chunks.at(-1); last !== undefined; last = chunks.at(-1)) {
    for (const chunk of chunks) {
      const wanted = toStoredRows(chunk).filter(({ index }) => index >= offset);
      if (wanted.length > 0) yield wanted;
    }
    const next = last.firstRow + last.rowCount;
    chunks = await selectPlaced(queries, and(isOfVersion, gte(firstRow, next), lt(firstRow, next + rowsAtOnce)));
  }
}

interface PlacedChunk extends Omit<Placement, "chunkId"> {
  readonly rows: Buffer;
}

const toStoredRows = ({ firstRow, fileNo, rows }: PlacedChunk): StoredRow[] =>
  unpackRows(rows).map((text, at) => ({ index: firstRow + at, fileNo, text }));

async function selectPlaced(queries: Queries, condition: SQL | undefined): Promise<PlacedChunk[]> {
  const { firstRow, rowCount, fileNo, chunkId } = datasetVersionChunks;
  return queries
    .select({ firstRow, rowCount, fileNo, rows: datasetChunks.rows })
    .from(datasetVersionChunks)
    .innerJoin(datasetChunks, eq(datasetChunks.id, chunkId))
    .where(condition)
    .orderBy(asc(firstRow))
    .limit(chunksAtOnce);
}

export async function updateReport(
  queries: Queries,
  versionId: string,
  report: NonNullable<VersionRow["report"]>,
): Promise<void> {
  await queries.update(datasetVersions).set({ report }).where(eq(datasetVersions.id, versionId));
}

/** Removes chunks that no version came to have within a day. */
export async function sweepChunks(queries: Queries): Promise<number> {
  const { rowCount } = await queries.execute(sql`
    delete from ${datasetChunks} chunk
    where chunk.created_at < now() - interval '1 day'
      and not exists (select 1 from ${datasetVersionChunks} placed where placed.chunk_id = chunk.id)`);
  return rowCount ?? 0;
}

/** The text of one row, which must be there. */
export async function readRow(queries: Queries, versionId: string, index: number): Promise<string> {
  for await (const [row] of readRowsFrom(queries, versionId, { offset: index, count: 1 })) if (row) return row.text;
  throw new Error(`The version ${versionId} has no row ${index}.`);
}
