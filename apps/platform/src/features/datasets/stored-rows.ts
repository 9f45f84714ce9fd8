import type { Queries } from "../../infra/db/create-database.ts";
import { type CheckedRow, checkRow, type RowRules } from "./formats/check-row.ts";
import type { Example } from "./formats/example.ts";
import { layouts } from "./formats/layouts/layouts.ts";
import { parseJsonRow } from "./formats/reading/parse-json-row.ts";
import type { SourceRow } from "./formats/reading/source-row.ts";
import { readRowsFrom, type StoredRow, type VersionRow } from "./version-repo.ts";

/** The rules by which the rows of a version are read; without a layout as Alpaca, whose findings name what is missing. */
export const rulesOf = ({ layout, mapping }: Pick<VersionRow, "layout" | "mapping">): RowRules => ({
  layout: layouts[layout ?? "alpaca"],
  mapping,
});

/** A stored row as `readRows` gives rows of files: its number serves as its line. */
export function toSourceRow({ index, text }: Pick<StoredRow, "index" | "text">): SourceRow {
  const row = index + 1;
  return { row, line: row, byteOffset: 0, text, ...parseJsonRow(text, { row, line: row }) };
}

export const checkStored = (row: Pick<StoredRow, "index" | "text">, rules: RowRules): CheckedRow =>
  checkRow(toSourceRow(row), rules);

/** What a row counts for in `record_count`. */
export const recordsIn = (text: string, rules: RowRules): 0 | 1 =>
  checkStored({ index: 0, text }, rules).example === undefined ? 0 : 1;

/** The examples of a version, in batches; rows that are not valid are left out. */
export async function* readExamples(
  queries: Queries,
  version: VersionRow,
): AsyncGenerator<readonly (CheckedRow & { readonly example: Example })[]> {
  const rules = rulesOf(version);
  for await (const rows of readRowsFrom(queries, version.id, { offset: 0 })) {
    yield rows
      .map((row) => checkStored(row, rules))
      .filter((checked): checked is CheckedRow & { example: Example } => checked.example !== undefined);
  }
}
