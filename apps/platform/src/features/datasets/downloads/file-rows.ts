import type { Queries } from "../../../infra/db/create-database.ts";
import type { JsonObject, JsonValue } from "../formats/json-value.ts";
import { parseJsonRow } from "../formats/reading/parse-json-row.ts";
import type { DatasetFileType } from "../formats/reading/source-row.ts";
import { readRowsFrom, selectPlacements } from "../version-repo.ts";

export interface FileOfRows {
  readonly versionId: string;
  readonly fileNo: number;
  readonly fileType: DatasetFileType;
}

/**
 * The rows of one file as they stand in a version, in the file's own format, batch by batch. A row that cannot be read is
 * written as it is.
 */
export async function* renderFileRows(queries: Queries, file: FileOfRows): AsyncGenerator<string> {
  const rows = (): AsyncGenerator<readonly string[]> => rowsOf(queries, file);
  if (file.fileType === "json") yield* renderArray(rows());
  else if (file.fileType === "csv") yield* renderCsv(rows);
  else for await (const texts of rows()) yield texts.map((text) => `${text}\n`).join("");
}

async function* rowsOf(queries: Queries, { versionId, fileNo }: FileOfRows): AsyncGenerator<readonly string[]> {
  const first = (await selectPlacements(queries, versionId)).find((place) => place.fileNo === fileNo);
  if (first === undefined) return;
  for await (const rows of readRowsFrom(queries, versionId, { offset: first.firstRow })) {
    if (rows[0]?.fileNo !== fileNo) return;
    yield rows.map(({ text }) => text);
  }
}

async function* renderArray(rows: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  let before = "[\n";
  for await (const texts of rows) {
    yield before + texts.join(",\n");
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}

/** Columns are the keys of all rows, in the order in which they come: edits may have added some. */
async function* renderCsv(rows: () => AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  const columns = new Set<string>();
  for await (const texts of rows()) {
    for (const text of texts) for (const key of Object.keys(objectOf(text) ?? {})) columns.add(key);
  }
  const names = [...columns];
  yield `${names.map(toCell).join(",")}\n`;
  for await (const texts of rows()) yield texts.map((text) => `${toRecord(text, names)}\n`).join("");
}

function toRecord(text: string, names: readonly string[]): string {
  const row = objectOf(text);
  return row === undefined ? text : names.map((name) => toCell(row[name] ?? "")).join(",");
}

const objectOf = (text: string): JsonObject | undefined => parseJsonRow(text, { row: 1, line: 1 }).value;

// Lists and objects stand in a cell as JSON, as they are read.
function toCell(value: JsonValue): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /[",\r\n]|^\s|\s$|^$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
