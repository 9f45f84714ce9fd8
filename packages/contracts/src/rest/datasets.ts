import * as z from "zod";
import {
  datasetRowSchema,
  datasetSchema,
  datasetVersionDetailSchema,
  datasetVersionSchema,
  conversionCountsSchema,
  keyMappingSchema,
  layoutSchema,
  rowChangeSchema,
  rowEditSchema,
  validationReportSchema,
  versionNoSchema,
} from "./dataset-schemas.ts";
import { type Action, defineRoute } from "./define-route.ts";
import { idSchema, nameSchema, pageOf, pageQuery } from "./schemas.ts";

const access = <const TAction extends Action>(action: TAction) =>
  ({ kind: "tenant", action, resource: "dataset" }) as const;
const byId = z.strictObject({ dataset_id: idSchema });
const byVersion = byId.extend({ version_no: versionNoSchema });
const description = z
  .string()
  .max(2000)
  .refine((text) => !text.includes("\0"), { error: "must not hold NUL" });
const isPrivate = z
  .boolean()
  .meta({ description: "Whether only its owner, administrators and grantees may know of it" });
const search = z.string().min(1).max(200).optional();
const rowOffset = z.coerce.number().int().min(0).max(2_000_000_000).default(0);
const rowLimit = z.coerce.number().int().min(1).max(200).default(50);
const tag = "datasets";

export const listDatasets = defineRoute({
  id: "listDatasets",
  method: "GET",
  path: "/datasets",
  tag,
  summary: "The datasets that one may know of, the newest first",
  access: access("read"),
  query: pageQuery.extend({ search: search.meta({ description: "Part of the name, in any case" }) }),
  responses: { 200: pageOf(datasetSchema) },
});

export const createDataset = defineRoute({
  id: "createDataset",
  method: "POST",
  path: "/datasets",
  tag,
  summary: "Make an empty dataset; files are uploaded into it",
  access: access("create"),
  body: z.strictObject({
    name: nameSchema,
    description: description.default(""),
    is_private: isPrivate.default(false),
  }),
  responses: { 201: datasetSchema },
  isIdempotent: true,
});

export const getDataset = defineRoute({
  id: "getDataset",
  method: "GET",
  path: "/datasets/{dataset_id}",
  tag,
  summary: "One dataset",
  access: access("read"),
  params: byId,
  responses: { 200: datasetSchema },
});

export const editDataset = defineRoute({
  id: "editDataset",
  method: "PATCH",
  path: "/datasets/{dataset_id}",
  tag,
  summary: "Rename or describe a dataset, or say who may know of it",
  access: access("edit"),
  params: byId,
  body: z.strictObject({ name: nameSchema, description, is_private: isPrivate }).partial().meta({ id: "DatasetEdit" }),
  responses: { 200: datasetSchema },
  needsIfMatch: true,
});

export const deleteDataset = defineRoute({
  id: "deleteDataset",
  method: "DELETE",
  path: "/datasets/{dataset_id}",
  tag,
  summary: "Put a dataset into the trash; its name is free then",
  access: access("manage"),
  params: byId,
  responses: { 204: null },
});

export const listDeletedDatasets = defineRoute({
  id: "listDeletedDatasets",
  method: "GET",
  path: "/deleted-datasets",
  tag,
  summary: "The datasets in the trash",
  access: access("read"),
  query: pageQuery,
  responses: { 200: pageOf(datasetSchema) },
});

export const undeleteDataset = defineRoute({
  id: "undeleteDataset",
  method: "POST",
  path: "/deleted-datasets/{dataset_id}/restoration",
  tag,
  summary: "Take a dataset out of the trash; needs another name where its own is taken",
  access: access("manage"),
  params: byId,
  body: z.strictObject({ name: nameSchema.optional() }),
  responses: { 200: datasetSchema },
});

export const uploadDatasetFile = defineRoute({
  id: "uploadDatasetFile",
  method: "POST",
  path: "/datasets/{dataset_id}/files",
  tag,
  summary: "Upload a file of rows: it is validated while it arrives, and becomes a new version",
  access: access("edit"),
  params: byId,
  query: z.strictObject({
    name: nameSchema.meta({ description: "Name of the file; ends in .jsonl, .json or .csv" }),
    mode: z
      .enum(["append", "replace"])
      .default("append")
      .meta({ description: "What becomes of the rows that are there" }),
    layout: layoutSchema.optional().meta({ description: "Recognised where it is not given" }),
  }),
  upload: { mediaType: "application/octet-stream", description: "The file as it is" },
  responses: {
    201: z.strictObject({ version: datasetVersionSchema, report: validationReportSchema }),
  },
});

export const listDatasetVersions = defineRoute({
  id: "listDatasetVersions",
  method: "GET",
  path: "/datasets/{dataset_id}/versions",
  tag,
  summary: "The versions of a dataset, the latest first",
  access: access("read"),
  params: byId,
  query: pageQuery,
  responses: { 200: pageOf(datasetVersionSchema) },
});

export const getDatasetVersion = defineRoute({
  id: "getDatasetVersion",
  method: "GET",
  path: "/datasets/{dataset_id}/versions/{version_no}",
  tag,
  summary: "One version with its files, findings and statistics",
  access: access("read"),
  params: byVersion,
  responses: { 200: datasetVersionDetailSchema },
});

export const listDatasetRows = defineRoute({
  id: "listDatasetRows",
  method: "GET",
  path: "/datasets/{dataset_id}/versions/{version_no}/rows",
  tag,
  summary: "Rows from any offset on, with their findings; a search goes on where next_offset says",
  access: access("read"),
  params: byVersion,
  query: z.strictObject({
    offset: rowOffset,
    limit: rowLimit,
    search: search.meta({ description: "Text that the row holds, in any case" }),
    only: z.enum(["invalid", "valid"]).optional(),
  }),
  responses: {
    200: z.strictObject({
      items: z.array(datasetRowSchema),
      total: z.int().meta({ description: "Rows of the version" }),
      next_offset: z.int().nullable().meta({ description: "Null when the last row was looked at" }),
    }),
  },
});

export const editDatasetRows = defineRoute({
  id: "editDatasetRows",
  method: "POST",
  path: "/datasets/{dataset_id}/row-edits",
  tag,
  summary: "Save edits of rows as a new version; If-Match is the ETag of the version that was edited",
  access: access("edit"),
  params: byId,
  body: z.strictObject({ edits: z.array(rowEditSchema).min(1).max(1000) }),
  responses: { 201: datasetVersionSchema },
  needsIfMatch: true,
});

export const diffDatasetVersions = defineRoute({
  id: "diffDatasetVersions",
  method: "GET",
  path: "/datasets/{dataset_id}/diff",
  tag,
  summary: "What changed between two versions, row by row",
  access: access("read"),
  params: byId,
  query: z.strictObject({ from: versionNoSchema, to: versionNoSchema, offset: rowOffset, limit: rowLimit }),
  responses: {
    200: z.strictObject({
      unchanged: z.int(),
      added: z.int(),
      removed: z.int(),
      changed: z.int(),
      moved: z.int(),
      items: z.array(rowChangeSchema),
      next_offset: z.int().nullable(),
    }),
  },
});

export const restoreDatasetVersion = defineRoute({
  id: "restoreDatasetVersion",
  method: "POST",
  path: "/datasets/{dataset_id}/versions/{version_no}/restoration",
  tag,
  summary: "Make an earlier version the present one, as a new version",
  access: access("edit"),
  params: byVersion,
  responses: { 201: datasetVersionSchema },
  needsIfMatch: true,
});

export const validateDatasetVersion = defineRoute({
  id: "validateDatasetVersion",
  method: "POST",
  path: "/datasets/{dataset_id}/versions/{version_no}/validation",
  tag,
  summary: "Validate all rows again; as the version's own layout, the report is kept",
  access: access("edit"),
  params: byVersion,
  body: z.strictObject({ layout: layoutSchema.optional(), mapping: z.array(keyMappingSchema).max(50).optional() }),
  responses: { 200: validationReportSchema },
});

export const convertDataset = defineRoute({
  id: "convertDataset",
  method: "POST",
  path: "/datasets/{dataset_id}/conversions",
  tag,
  summary: "Write the present version in another layout, as a new dataset",
  access: access("create"),
  params: byId,
  body: z.strictObject({
    name: nameSchema,
    layout: layoutSchema,
    text_style: z
      .enum(["plain", "chatml"])
      .default("plain")
      .meta({ description: "How conversations become plain text" }),
  }),
  responses: { 201: z.strictObject({ dataset: datasetSchema, counts: conversionCountsSchema }) },
  isIdempotent: true,
});

export const splitDataset = defineRoute({
  id: "splitDataset",
  method: "POST",
  path: "/datasets/{dataset_id}/splits",
  tag,
  summary: "Make two datasets of the valid rows, without duplicates: one to train, one to validate",
  access: access("create"),
  params: byId,
  body: z.strictObject({
    train_name: nameSchema,
    validation_name: nameSchema,
    validation_fraction: z.number().min(0.0001).max(0.9999),
    seed: z.string().max(100).default("0").meta({ description: "The same seed splits the same rows the same way" }),
  }),
  responses: {
    201: z.strictObject({
      train: datasetSchema,
      validation: datasetSchema,
      counts: z.strictObject({ train: z.int(), validation: z.int(), duplicates_removed: z.int() }),
    }),
  },
  isIdempotent: true,
});
