import type { DatasetLayout } from "@attune/contracts/rest/dataset-formats.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Database, Queries, Transaction } from "../../infra/db/create-database.ts";
import type { ExpectedObject } from "../../infra/storage/object-store.ts";
import type { StagedFile, Storage } from "../storage/index.ts";
import { forkBytes } from "./fork-bytes.ts";
import { datasetFileTypeOf } from "./formats/reading/read-rows.ts";
import type { ValidationReport } from "./formats/validate.ts";
import type { FileValidation } from "./formats/validate-file.ts";
import { importFile, type ImportOptions } from "./import-file.ts";
import type { DatasetRow } from "./repo.ts";
import { createRowWriter, type RowWriter } from "./row-writer.ts";
import {
  findVersion,
  insertVersion,
  selectFiles,
  selectPlacements,
  type VersionFile,
  type VersionRow,
} from "./version-repo.ts";

export interface FileUpload {
  readonly fileName: string;
  readonly body: AsyncIterable<Uint8Array>;
  readonly mode: "append" | "replace";
  readonly layout: DatasetLayout | undefined;
  readonly userId: string;
  /** What the bytes must turn out to be. */
  readonly expected?: ExpectedObject;
  readonly signal?: AbortSignal;
  /** Runs in the transaction that makes the version. */
  readonly onCommit: (
    tx: Transaction,
    version: VersionRow,
    result: { readonly report: ValidationReport },
  ) => Promise<void>;
}

export interface UploadPorts {
  readonly database: Database;
  readonly storage: Pick<Storage, "stageFile">;
}

/**
 * Stores a file and makes its rows a new version, in one pass and in constant memory. Nothing is left when anything fails.
 * @throws AppError `DATASET_FILE_TYPE_UNKNOWN`, `DATASET_FILE_INVALID`, `STORAGE_…`; `VERSION_CONFLICT` when another version
 * was made meanwhile.
 */
export async function uploadFile(
  { database, storage }: UploadPorts,
  dataset: DatasetRow,
  upload: FileUpload,
): Promise<{ version: VersionRow; validation: FileValidation }> {
  const fileType = datasetFileTypeOf(upload.fileName);
  if (fileType === undefined) throw new AppError("DATASET_FILE_TYPE_UNKNOWN");
  const { id, tenantId, versionNo } = dataset;
  const { queries } = database;
  const base = upload.mode === "append" ? await findVersion(queries, id, versionNo) : undefined;
  const writer = createRowWriter(queries, tenantId);
  try {
    const files = base ? await keepRows(queries, base, writer) : [];
    await writer.beginFile(files.length);
    const options = {
      fileType,
      layout: base?.layout ?? upload.layout,
      mapping: base?.layout ? base.mapping : undefined,
    };
    const passed = await storeAndImport(storage, { dataset, upload, options, writer });
    await using staged = passed.staged;
    const { validation } = passed;
    const { raw: rawCount, valid: recordCount } = validation.counts;
    const { sizeBytes: size, id: fileId } = staged.file;
    const file: VersionFile = { name: upload.fileName, fileId, size, rawCount, recordCount };
    const facts = {
      origin: "upload",
      layout: validation.layout ?? null,
      mapping: validation.mapping,
      report: files.length === 0 ? reportOf(validation) : null,
      createdBy: upload.userId,
      files: [...files, file],
      placements: await writer.finish(),
    } as const;
    const version = await database.transaction(async (tx) => {
      await staged.attach(tx);
      const made = await insertVersion(tx, { id, baseNo: versionNo }, facts);
      await upload.onCommit(tx, made, { report: reportOf(validation) });
      return made;
    });
    return { version, validation };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

const reportOf = ({ counts, findings, statistics, isUsable }: FileValidation): ValidationReport => ({
  counts,
  findings,
  statistics,
  isUsable,
});

interface Pass {
  readonly dataset: DatasetRow;
  readonly upload: FileUpload;
  readonly options: ImportOptions;
  readonly writer: RowWriter;
}

/** Stores the bytes and writes their rows in one pass. When either fails, the other is stopped and leaves nothing. */
async function storeAndImport(
  storage: UploadPorts["storage"],
  { dataset: { id, tenantId }, upload, options, writer }: Pass,
): Promise<{ readonly staged: StagedFile; readonly validation: FileValidation }> {
  const { forRows, forStore, stopRows } = forkBytes(upload.body);
  const owner = { kind: "dataset", id };
  const { signal, expected } = upload;
  const file = { tenantId, owner, mediaType: "application/octet-stream", body: forStore };
  const importing = importFile(forRows, options, writer).finally(() => stopRows());
  const [stored, imported] = await Promise.allSettled([
    storage.stageFile({ ...file, ...(expected && { expected }), ...(signal && { signal }) }).catch((error: unknown) => {
      stopRows(error as Error);
      throw error;
    }),
    importing,
  ]);
  // When storing fails, the rows stop for that reason.
  if (stored.status === "rejected") throw stored.reason;
  if (imported.status === "fulfilled") return { staged: stored.value, validation: imported.value };
  await stored.value[Symbol.asyncDispose]();
  throw imported.reason;
}

async function keepRows(queries: Queries, base: VersionRow, writer: RowWriter): Promise<VersionFile[]> {
  for (const place of await selectPlacements(queries, base.id)) {
    await writer.beginFile(place.fileNo);
    await writer.keep(place);
  }
  return (await selectFiles(queries, base.id)).map(({ name, fileId, size, rawCount, recordCount }) => {
    return { name, fileId, size, rawCount, recordCount };
  });
}
