import { createFinding, type Finding } from "../finding.ts";
import type { JsonObject, JsonValue } from "../json-value.ts";
import { parseCsvFields } from "./parse-csv-fields.ts";

/** Columns whose cells hold JSON, because a cell has no structure of its own. */
const jsonColumns = new Set(["history", "conversations", "messages", "chosen", "rejected", "prompt", "completion"]);
const labelColumns = new Set(["label", "kto_tag"]);

interface CsvRow {
  readonly value: JsonObject | undefined;
  readonly findings: readonly Finding[];
}

export interface CsvHeader {
  readonly columns: readonly string[];
  readonly findings: readonly Finding[];
}

/** Reads the header line; with findings, the rows below it cannot be read. */
export function parseCsvHeader(text: string, line: number): CsvHeader {
  const columns = parseCsvFields(text)?.map((name) => name.trim()) ?? [];
  const place = { line, row: undefined };
  const seen = new Set<string>();
  const twice = columns.find((name) => name !== "" && seen.size === seen.add(name).size);
  const findings: Finding[] = [];
  if (columns.length === 1 && /[;\t|]/.test(text)) findings.push(createFinding("CSV_DELIMITER", place));
  else if (columns.every((name) => !/\p{L}/u.test(name))) findings.push(createFinding("CSV_NO_HEADER", place));
  else if (twice !== undefined)
    findings.push(createFinding("CSV_DUPLICATE_COLUMN", { ...place, detail: `It is ${JSON.stringify(twice)}.` }));
  return { columns, findings };
}

/** Makes an object of one record. Empty cells of columns that hold JSON are left out. */
export function parseCsvRow(
  text: string,
  { columns }: CsvHeader,
  place: { readonly line: number; readonly row: number },
): CsvRow {
  const fields = parseCsvFields(text);
  if (fields === undefined) return { value: undefined, findings: [createFinding("CSV_QUOTE", place)] };
  if (fields.length !== columns.length) {
    const detail = `It has ${fields.length}, the header ${columns.length}.`;
    return { value: undefined, findings: [createFinding("CSV_FIELD_COUNT", { ...place, detail })] };
  }
  const entries = columns.map((name, index): [string, JsonValue] => [name, cellValue(name, fields[index] as string)]);
  const kept = entries.filter(([name, value]) => name !== "" && !(value === "" && jsonColumns.has(name)));
  return { value: Object.fromEntries(kept), findings: [] };
}

function cellValue(column: string, cell: string): JsonValue {
  if (labelColumns.has(column) && /^(?:true|false)$/i.test(cell)) return cell.toLowerCase() === "true";
  if (!jsonColumns.has(column) || !/^\s*[[{]/.test(cell)) return cell;
  try {
    return JSON.parse(cell) as JsonValue;
  } catch {
    return cell;
  }
}
