import * as z from "zod";
import { datasetVersionSchema, layoutSchema, validationReportSchema } from "./dataset-schemas.ts";
import { defineRoute } from "./define-route.ts";
import { idSchema, nameSchema, pageOf, pageQuery, sizeSchema, timeSchema } from "./schemas.ts";

const access = { kind: "tenant", action: "edit", resource: "dataset" } as const;
const byDataset = z.strictObject({ dataset_id: idSchema });
const byUpload = byDataset.extend({ upload_id: idSchema });
const path = "/datasets/{dataset_id}/uploads";
const tag = "datasets";

const name = nameSchema.meta({ description: "Name of the file; ends in .jsonl, .json or .csv" });
const sha256 = z
  .string()
  .regex(/^[\da-f]{64}$/)
  .meta({ description: "SHA-256 of the whole file, lower-case hexadecimal" });
const mode = z.enum(["append", "replace"]).meta({ description: "What becomes of the rows that are there" });
const maxBytes = Number.MAX_SAFE_INTEGER;

export const datasetUploadSchema = z
  .strictObject({
    id: idSchema,
    dataset_id: idSchema,
    name: z.string(),
    size: sizeSchema.meta({ description: "Bytes of the whole file" }),
    sha256: sha256.nullable(),
    mode,
    layout: layoutSchema.nullable(),
    offset: sizeSchema.meta({ description: "Bytes that are kept: go on with the byte of this number" }),
    state: z
      .enum(["open", "completing", "completed", "failed"])
      .meta({ description: "`completing`: its rows are being written" }),
    version_no: z.int().nullable().meta({ description: "The version that it became" }),
    problem: z
      .strictObject({
        reason: z.string(),
        title: z.string(),
        detail: z.string(),
        remedy: z.string(),
        violations: z.array(z.strictObject({ pointer: z.string(), message: z.string() })),
      })
      .nullable()
      .meta({ description: "Why the file was not taken; only another upload can mend it" }),
    expires_at: timeSchema.meta({ description: "It is removed then, unless something is done with it" }),
  })
  .meta({ id: "DatasetUpload" });
export type DatasetUpload = z.infer<typeof datasetUploadSchema>;

export const createDatasetUpload = defineRoute({
  id: "createDatasetUpload",
  method: "POST",
  path,
  tag,
  summary: "Begin an upload that goes on after a broken connection; Location is its address",
  access,
  params: byDataset,
  body: z.strictObject({
    name,
    size: z.int().min(1).max(maxBytes).meta({ description: "Bytes of the whole file" }),
    sha256: sha256.optional(),
    mode: mode.default("append"),
    layout: layoutSchema.optional().meta({ description: "Recognised where it is not given" }),
  }),
  responses: { 201: datasetUploadSchema },
  isIdempotent: true,
});

export const listDatasetUploads = defineRoute({
  id: "listDatasetUploads",
  method: "GET",
  path,
  tag,
  summary: "One's own uploads into a dataset, the newest first, until they expire",
  access,
  params: byDataset,
  query: pageQuery,
  responses: { 200: pageOf(datasetUploadSchema) },
});

export const getDatasetUpload = defineRoute({
  id: "getDatasetUpload",
  method: "GET",
  path: `${path}/{upload_id}`,
  tag,
  summary: "How far an upload is; HEAD gives the same as the header Upload-Offset",
  access,
  params: byUpload,
  responses: { 200: datasetUploadSchema },
});

export const appendToDatasetUpload = defineRoute({
  id: "appendToDatasetUpload",
  method: "PATCH",
  path: `${path}/{upload_id}`,
  tag,
  summary: "Send the bytes from an offset on, as many as one likes; what came before a connection broke is kept",
  access,
  params: byUpload,
  query: z.strictObject({
    offset: z.coerce.number().int().min(0).max(maxBytes).meta({ description: "The upload's own; another is refused" }),
  }),
  upload: { mediaType: "application/offset+octet-stream", description: "Bytes of the file" },
  responses: { 200: datasetUploadSchema },
});

export const completeDatasetUpload = defineRoute({
  id: "completeDatasetUpload",
  method: "POST",
  path: `${path}/{upload_id}/completion`,
  tag,
  summary: "Validate the file and make it a new version; done again, it answers the same",
  access,
  params: byUpload,
  responses: { 201: z.strictObject({ version: datasetVersionSchema, report: validationReportSchema }) },
});

export const deleteDatasetUpload = defineRoute({
  id: "deleteDatasetUpload",
  method: "DELETE",
  path: `${path}/{upload_id}`,
  tag,
  summary: "Give an upload up; its bytes are removed",
  access,
  params: byUpload,
  responses: { 204: null },
});
