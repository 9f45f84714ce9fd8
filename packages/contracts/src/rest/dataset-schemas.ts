import * as z from "zod";
import { datasetFormats, datasetLayouts, findingSeverities } from "./dataset-formats.ts";
import { idSchema, sizeSchema, timeSchema } from "./schemas.ts";

export const layoutSchema = z.enum(datasetLayouts).meta({ description: "Shape in which the rows are written" });
export const versionNoSchema = z.coerce.number().int().min(1).max(1_000_000_000);
const count = z.int().nonnegative();

export const datasetSchema = z
  .strictObject({
    id: idSchema,
    name: z.string(),
    description: z.string(),
    format: z.enum(datasetFormats).nullable().meta({ description: "Null while it has no rows" }),
    layout: layoutSchema.nullable(),
    size: sizeSchema,
    record_count: count.meta({ description: "Training examples: rows that are valid" }),
    version_no: count.meta({ description: "The present version; 0 while it has none" }),
    is_private: z.boolean(),
    owner_id: idSchema,
    created_at: timeSchema,
    updated_at: timeSchema,
    deleted_at: timeSchema.nullable(),
    version: z.int(),
  })
  .meta({ id: "Dataset" });
export type Dataset = z.infer<typeof datasetSchema>;

export const findingSchema = z
  .strictObject({
    code: z.string(),
    severity: z.enum(findingSeverities),
    message: z.string(),
    remedy: z.string(),
    line: count,
    column: count,
    row: count.nullable().meta({ description: "From 1; null for what concerns the whole file" }),
    pointer: z.string().meta({ description: "JSON Pointer into the row" }),
  })
  .meta({ id: "Finding" });

const findingCountSchema = z
  .strictObject({
    code: z.string(),
    severity: z.enum(findingSeverities),
    message: z.string(),
    remedy: z.string(),
    count,
    first: z.array(findingSchema).max(20),
  })
  .meta({ id: "FindingCount" });

export const validationReportSchema = z
  .strictObject({
    is_usable: z.boolean(),
    counts: z.strictObject({
      raw: count,
      valid: count,
      invalid: count,
      duplicates: count,
      turns: count,
      tokens: count.nullable().meta({ description: "Null where no tokenizer was given" }),
    }),
    findings: z.array(findingCountSchema),
    statistics: z.strictObject({
      record_count: count,
      characters: count,
      turns: count,
      character_range: z.strictObject({ min: count, max: count, mean: z.number() }),
      lengths: z.array(z.strictObject({ from: count, to: count, count })),
      turn_counts: z.array(z.strictObject({ turns: count, count })),
      labels: z.strictObject({ true: count, false: count }).nullable(),
    }),
  })
  .meta({ id: "ValidationReport" });

export const keyMappingSchema = z.strictObject({ from: z.string().min(1).max(200), to: z.string().min(1).max(200) });

export const datasetVersionSchema = z
  .strictObject({
    version_no: count,
    origin: z.enum(["upload", "edit", "restore", "convert", "split"]),
    parent_version_no: count.nullable(),
    layout: layoutSchema.nullable(),
    mapping: z.array(keyMappingSchema),
    size: sizeSchema,
    raw_count: count,
    record_count: count,
    created_by: idSchema,
    created_at: timeSchema,
  })
  .meta({ id: "DatasetVersion" });

export const datasetVersionDetailSchema = datasetVersionSchema
  .extend({
    dataset_files: z.array(
      z.strictObject({ name: z.string(), size: sizeSchema, raw_count: count, record_count: count }),
    ),
    report: validationReportSchema
      .nullable()
      .meta({ description: "Null after an edit, until the rows are validated again" }),
  })
  .meta({ id: "DatasetVersionDetail" });

export const datasetRowSchema = z
  .strictObject({
    row: z.int().min(1),
    file_no: count,
    text: z.string().meta({ description: "The row as it is written" }),
    is_valid: z.boolean(),
    findings: z.array(findingSchema),
  })
  .meta({ id: "DatasetRow" });

const row = z.int().min(0).max(2_000_000_000);
const text = z
  .string()
  .min(2)
  .max(16 * 1024 * 1024);
export const rowEditSchema = z
  .discriminatedUnion("op", [
    z.strictObject({ op: z.literal("replace"), row, text }),
    z.strictObject({ op: z.literal("delete"), row }),
    z.strictObject({ op: z.literal("insert_after"), row, text }),
  ])
  .meta({
    id: "RowEdit",
    description: "Rows count from 1 in the version that is edited; insert_after 0 is before the first",
  });

export const rowChangeSchema = z
  .strictObject({
    kind: z.enum(["added", "removed", "changed", "moved"]),
    from_row: z.int().nullable(),
    row: z.int().nullable(),
    from_text: z.string().nullable(),
    text: z.string().nullable(),
  })
  .meta({ id: "RowChange" });

export const conversionCountsSchema = z
  .strictObject({
    read: count,
    written: count,
    refused: z.record(z.string(), count).meta({ description: "Examples that the layout cannot express, by reason" }),
    losses: z.record(z.string(), count),
  })
  .meta({ id: "ConversionCounts" });
