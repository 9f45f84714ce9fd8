import { AppError } from "@attune/service-kit/app-error.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import type { DatasetLayout } from "@attune/contracts/rest/dataset-formats.ts";
import type { Database, Queries, Transaction } from "../../infra/db/create-database.ts";
import { editRows, type RowEdit } from "./edit-rows.ts";
import type { KeyMapping } from "./formats/key-mapping.ts";
import { createValidator, type ValidationReport } from "./formats/validate.ts";
import { type DatasetRow, findDeleted, insertDataset, updateDataset } from "./repo.ts";
import { createRowWriter } from "./row-writer.ts";
import { checkStored, rulesOf, toSourceRow } from "./stored-rows.ts";
import {
  getVersion,
  insertVersion,
  readRowsFrom,
  selectFiles,
  selectPlacements,
  type StoredRow,
  type VersionRow,
} from "./version-repo.ts";
import type { CheckedRow } from "./formats/check-row.ts";

export interface NewDataset {
  readonly tenantId: string;
  readonly userId: string;
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean;
}

/** @throws AppError `DATASET_NAME_TAKEN`. */
export async function addDataset(queries: Queries, given: NewDataset): Promise<DatasetRow> {
  const { userId: ownerId, ...shared } = given;
  const now = new Date();
  return insertDataset(queries, { ...shared, id: createId(), ownerId, createdAt: now, updatedAt: now });
}

/** @throws AppError `RECORD_NOT_FOUND`, `DATASET_NAME_TAKEN`. */
export async function undelete(
  queries: Queries,
  { tenantId, id }: Pick<DatasetRow, "tenantId" | "id">,
  name: string | undefined,
): Promise<DatasetRow> {
  const row = await findDeleted(queries, tenantId, id);
  if (row === undefined) throw new AppError("RECORD_NOT_FOUND");
  return updateDataset(queries, row, { deletedAt: null, name });
}

export interface RowsRequest {
  readonly offset: number;
  readonly limit: number;
  readonly search: string | undefined;
  readonly only: "invalid" | "valid" | undefined;
}

export interface RowsPage {
  readonly rows: readonly (CheckedRow & { readonly fileNo: number })[];
  /** Undefined when the last row was looked at. */
  readonly nextOffset: number | undefined;
}

/** How many rows a search looks through before it answers with what it has. */
const searchedRows = 20_000;

/** One page of rows. Without a search it reads the chunks of the page and nothing else. */
export async function pageRows(queries: Queries, version: VersionRow, request: RowsRequest): Promise<RowsPage> {
  const { offset, limit, search, only } = request;
  const rules = rulesOf(version);
  const wanted = search?.toLowerCase();
  const rows: (CheckedRow & { fileNo: number })[] = [];
  const isPlain = search === undefined && only === undefined;
  const wantedRows = isPlain ? { offset, count: limit } : { offset };
  let next = offset;
  const take = (stored: StoredRow): void => {
    next = stored.index + 1;
    if (wanted !== undefined && !stored.text.toLowerCase().includes(wanted)) return;
    const checked = checkStored(stored, rules);
    if (only !== undefined && (only === "valid") !== (checked.example !== undefined)) return;
    rows.push({ ...checked, fileNo: stored.fileNo });
  };
  for await (const stored of readRowsFrom(queries, version.id, wantedRows)) {
    for (const row of stored) {
      if (rows.length < limit) take(row);
    }
    if (rows.length >= limit || next - offset >= searchedRows) break;
  }
  return { rows, nextOffset: next < version.rawCount && next > offset ? next : undefined };
}

export interface Save {
  readonly dataset: DatasetRow;
  readonly userId: string;
  /** The version that the edit was made on. */
  readonly baseNo: number;
}

/**
 * Saves edits as a new version, which shares all other rows with the one before.
 * @throws AppError `VERSION_CONFLICT`, `REQUEST_INVALID`.
 */
export async function saveEdits(
  tx: Transaction,
  { dataset, userId, baseNo }: Save,
  edits: readonly RowEdit[],
): Promise<VersionRow> {
  if (dataset.versionNo !== baseNo) throw new AppError("VERSION_CONFLICT");
  const base = await getVersion(tx, dataset.id, baseNo);
  const files = await selectFiles(tx, base.id);
  const placements = await selectPlacements(tx, base.id);
  const version = { placements, files: files.map(withoutKeys), rules: rulesOf(base) };
  const edited = await editRows(tx, { edits, version, writer: createRowWriter(tx, dataset.tenantId) });
  const { layout, mapping } = base;
  const facts = { origin: "edit", layout, mapping, report: null, createdBy: userId } as const;
  return insertVersion(tx, { id: dataset.id, baseNo }, { ...facts, ...edited });
}

/** Makes the rows of an earlier version the present ones. @throws AppError `VERSION_CONFLICT`, `RECORD_NOT_FOUND`. */
export async function restoreVersion(
  tx: Transaction,
  { dataset, userId, baseNo }: Save,
  versionNo: number,
): Promise<VersionRow> {
  const source = await getVersion(tx, dataset.id, versionNo);
  const { layout, mapping, report } = source;
  const files = (await selectFiles(tx, source.id)).map(withoutKeys);
  const placements = await selectPlacements(tx, source.id);
  const facts = { origin: "restore", layout, mapping, report, createdBy: userId } as const;
  return insertVersion(tx, { id: dataset.id, baseNo }, { ...facts, files, placements });
}

const withoutKeys = ({
  name,
  fileId,
  size,
  rawCount,
  recordCount,
}: Awaited<ReturnType<typeof selectFiles>>[number]) => ({
  name,
  fileId,
  size,
  rawCount,
  recordCount,
});

export interface ReadAs {
  readonly layout: DatasetLayout | undefined;
  readonly mapping: readonly KeyMapping[] | undefined;
}

/** Validates all rows of a version, in constant memory but for 32 bytes a row. */
export async function validateVersion(
  { queries }: Pick<Database, "queries">,
  version: VersionRow,
  { layout = version.layout ?? undefined, mapping = version.mapping }: ReadAs,
): Promise<ValidationReport> {
  if (layout === undefined) throw new AppError("DATASET_EMPTY", { detail: "Its format is not known; name a layout." });
  const validator = createValidator({ layout, mapping });
  for await (const rows of readRowsFrom(queries, version.id, { offset: 0 })) {
    for (const row of rows) validator.check(toSourceRow(row));
  }
  return validator.finish();
}
