import type { DatasetLayout } from "@attune/contracts/rest/dataset-formats.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { CheckedRow } from "./formats/check-row.ts";
import type { KeyMapping } from "./formats/key-mapping.ts";
import type { DatasetFileType } from "./formats/reading/source-row.ts";
import { type FileValidation, validateFile } from "./formats/validate-file.ts";
import type { RowWriter } from "./row-writer.ts";

export interface ImportOptions {
  readonly fileType: DatasetFileType;
  /** Undefined to recognise it. */
  readonly layout: DatasetLayout | undefined;
  readonly mapping: readonly KeyMapping[] | undefined;
}

/** Faults between rows: all rows are there, and stand in the dataset without the fault. */
const mendedFaults = new Set<string>(["TRAILING_COMMA", "MISSING_COMMA", "FORMAT_UNKNOWN", "ONE_LABEL_ONLY"]);

/**
 * Validates a file while it streams and writes its rows, those with findings included, so that they can be mended online.
 * Rows of CSV become JSON.
 * @throws AppError `DATASET_FILE_INVALID` when the file as a whole cannot be read; its findings are the violations.
 */
export async function importFile(
  bytes: AsyncIterable<Uint8Array>,
  { fileType, layout, mapping }: ImportOptions,
  writer: RowWriter,
): Promise<FileValidation> {
  const onRows = async (rows: readonly CheckedRow[]): Promise<void> => {
    for (const { source } of rows) await writer.add(textOf(source, fileType));
  };
  const validation = await validateFile(bytes, {
    fileType,
    onRows,
    ...(layout === undefined ? {} : { layout }),
    ...(mapping === undefined ? {} : { mapping }),
  });
  const faults = validation.findings
    .flatMap(({ first }) => first)
    .filter(({ row, severity, code }) => row === undefined && severity === "error" && !mendedFaults.has(code));
  if (faults.length === 0) return validation;
  const violations = faults.map(({ line, column, message, remedy, code }) => ({
    pointer: `/line/${line}/column/${column}`,
    message: `${code}: ${message} ${remedy}`,
  }));
  throw new AppError("DATASET_FILE_INVALID", { violations });
}

// A row that is spread over lines becomes one line; a row that cannot be read stays as it is.
function textOf({ text, value }: CheckedRow["source"], fileType: DatasetFileType): string {
  if (value === undefined) return text;
  return fileType === "csv" || text.includes("\n") ? JSON.stringify(value) : text;
}
