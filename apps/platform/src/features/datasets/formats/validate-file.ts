import type { DatasetLayout } from "@attune/contracts/rest/dataset-formats.ts";
import type { CheckedRow } from "./check-row.ts";
import { createFinding, type Finding } from "./finding.ts";
import type { KeyMapping } from "./key-mapping.ts";
import type { JsonObject } from "./json-value.ts";
import { readRows } from "./reading/read-rows.ts";
import type { DatasetFileType, ReadItem } from "./reading/source-row.ts";
import { type Recognition, recogniseFormat } from "./recognise-format.ts";
import { createValidator, type ValidationOptions, type ValidationReport } from "./validate.ts";

/** How many rows are looked at to recognise the format, or as many as have so many characters together. */
const sampleRows = 200;
const sampleCharacters = 4 * 2 ** 20;

export interface FileValidationOptions extends Omit<ValidationOptions, "layout"> {
  readonly fileType: DatasetFileType;
  /** The layout that the user names; undefined to recognise it. */
  readonly layout?: DatasetLayout;
  /** Receives the rows of each batch, in order, whether they are valid or not. */
  readonly onRows?: (rows: readonly (CheckedRow & { readonly isDuplicate: boolean })[]) => void | Promise<void>;
}

export interface FileValidation extends ValidationReport {
  /** The likely layouts, the most likely one first; the rows were read as `layout`. */
  readonly recognised: readonly Recognition[];
  /** Undefined where no row resembles any format: nothing could be validated, and every row counts as invalid. */
  readonly layout: DatasetLayout | undefined;
  /** The keys that were renamed to read the rows. */
  readonly mapping: readonly KeyMapping[];
}

/** Reads, recognises and validates a file while it streams, in constant memory but for 32 bytes a row. */
export async function validateFile(
  bytes: AsyncIterable<Uint8Array>,
  options: FileValidationOptions,
): Promise<FileValidation> {
  const sample: ReadItem[] = [];
  let characters = 0;
  let stream: ReturnType<typeof createStream> | undefined;
  for await (const items of readRows(bytes, options.fileType)) {
    if (stream) {
      await stream.push(items);
      continue;
    }
    for (const item of items) {
      sample.push(item);
      characters += "text" in item ? item.text.length : 0;
    }
    if (sample.length < sampleRows && characters < sampleCharacters) continue;
    stream = createStream(sample, options);
    await stream.push(sample.splice(0));
  }
  stream ??= createStream(sample, options);
  await stream.push(sample);
  return stream.finish();
}

function createStream(
  sample: readonly ReadItem[],
  options: FileValidationOptions,
): { push(items: readonly ReadItem[]): Promise<void>; finish(): FileValidation } {
  const rows = sample
    .slice(0, sampleRows)
    .flatMap((item): JsonObject[] => ("value" in item && item.value ? [item.value] : []));
  const recognised = recogniseFormat(rows);
  const layout = options.layout ?? recognised[0]?.layout;
  const mapping = options.mapping ?? recognised.find((likely) => likely.layout === layout)?.mapping ?? [];
  // Without any likeness rows are read as Alpaca, whose findings name the keys that are missing.
  const validator = createValidator({ ...options, layout: layout ?? "alpaca", mapping });
  if (!options.mapping)
    for (const fileFinding of tellRecognition(layout, mapping, rows)) validator.check({ fileFinding });
  return {
    async push(items) {
      const checked = items.flatMap((item) => validator.check(item) ?? []);
      if (checked.length > 0) await options.onRows?.(checked);
    },
    finish: () => ({ ...validator.finish(), recognised, layout, mapping }),
  };
}

function tellRecognition(
  layout: DatasetLayout | undefined,
  mapping: readonly KeyMapping[],
  rows: readonly JsonObject[],
): Finding[] {
  const place = { line: 1, row: undefined };
  if (!layout && rows.length > 0) return [createFinding("FORMAT_UNKNOWN", place)];
  const detail = mapping.map(({ from, to }) => `${JSON.stringify(from)} was read as ${JSON.stringify(to)}.`).join(" ");
  return mapping.length > 0 ? [createFinding("KEYS_RENAMED", { ...place, detail })] : [];
}
