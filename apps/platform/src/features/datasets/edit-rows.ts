import { AppError } from "@attune/service-kit/app-error.ts";
import type { Queries } from "../../infra/db/create-database.ts";
import type { RowRules } from "./formats/check-row.ts";
import { parseJsonRow } from "./formats/reading/parse-json-row.ts";
import type { Placement, RowWriter } from "./row-writer.ts";
import { recordsIn } from "./stored-rows.ts";
import { readChunk, type VersionFile } from "./version-repo.ts";

/** One change of rows; `row` counts from 1 in the version that is edited, also after other changes of the same save. */
export type RowEdit =
  | { readonly op: "replace"; readonly row: number; readonly text: string }
  | { readonly op: "delete"; readonly row: number }
  /** `row` 0 is before the first one. */
  | { readonly op: "insert_after"; readonly row: number; readonly text: string };

export interface EditedVersion {
  readonly placements: readonly Placement[];
  readonly files: readonly VersionFile[];
}

interface VersionParts {
  readonly placements: readonly Placement[];
  readonly files: readonly VersionFile[];
  readonly rules: RowRules;
}

/**
 * Applies edits: chunks without edits are kept as they are, the others written anew.
 * @throws AppError `REQUEST_INVALID` for rows that are not there, edited twice, or no JSON object.
 */
export async function editRows(
  queries: Queries,
  {
    edits,
    version,
    writer,
  }: { readonly edits: readonly RowEdit[]; readonly version: VersionParts; readonly writer: RowWriter },
): Promise<EditedVersion> {
  const byRow = indexEdits(edits, version.placements);
  const files = version.files.map((file) => ({ ...file }));
  for (const place of version.placements) {
    await writer.beginFile(place.fileNo);
    const touched = [...byRow.values()].flat().some(({ row }) => isIn(row, place));
    const file = files[place.fileNo];
    if (!touched || !file) {
      await writer.keep(place);
      continue;
    }
    const before = await readChunk(queries, place.chunkId);
    const after = before.flatMap((text, at) => editRow(text, byRow.get(place.firstRow + at + 1) ?? []));
    const first = place.firstRow === 0 ? inserted(byRow.get(0) ?? []) : [];
    const rows = [...first, ...after];
    for (const text of rows) await writer.add(text);
    recount(file, { before, after: rows }, version.rules);
  }
  return { placements: await writer.finish(), files };
}

const isIn = (row: number, { firstRow, rowCount }: Placement): boolean =>
  (row > firstRow && row <= firstRow + rowCount) || (row === 0 && firstRow === 0);

const editRow = (text: string, edits: readonly RowEdit[]): string[] => {
  const own = edits.find(({ op }) => op !== "insert_after");
  const kept = own === undefined ? [text] : own.op === "replace" ? [own.text] : [];
  return [...kept, ...inserted(edits)];
};

const inserted = (edits: readonly RowEdit[]): string[] =>
  edits.flatMap((edit) => (edit.op === "insert_after" ? [edit.text] : []));

function recount(
  file: { -readonly [Key in keyof VersionFile]: VersionFile[Key] },
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
  rules: RowRules,
): void {
  const records = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + recordsIn(text, rules), 0);
  const bytes = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
  file.rawCount += after.length - before.length;
  file.recordCount += records(after) - records(before);
  file.size = Math.max(0, file.size + bytes(after) - bytes(before));
  file.fileId = null;
}

function indexEdits(edits: readonly RowEdit[], placements: readonly Placement[]): Map<number, RowEdit[]> {
  const rowCount = placements.reduce((sum, place) => sum + place.rowCount, 0);
  const byRow = new Map<number, RowEdit[]>();
  const violations = edits.flatMap((edit, index) => {
    const others = byRow.get(edit.row) ?? [];
    byRow.set(edit.row, [...others, edit]);
    const isTwice = edit.op !== "insert_after" && others.some(({ op }) => op !== "insert_after");
    const message = faultOf(edit, rowCount) ?? (isTwice ? "the row is edited twice" : undefined);
    return message === undefined ? [] : [{ pointer: `/body/edits/${index}`, message }];
  });
  if (violations.length > 0) throw new AppError("REQUEST_INVALID", { violations });
  return byRow;
}

function faultOf(edit: RowEdit, rowCount: number): string | undefined {
  const lowest = edit.op === "insert_after" ? 0 : 1;
  if (edit.row < lowest || edit.row > rowCount) return `there is no row ${edit.row}; the version has ${rowCount}`;
  if (edit.op === "delete") return undefined;
  const { value, findings } = parseJsonRow(edit.text, { line: 1, row: edit.row });
  if (value !== undefined) return edit.text.includes("\n") ? "a row is written on one line" : undefined;
  return findings.map(({ code, message, column }) => `${code} at column ${column}: ${message}`).join(" ");
}
