import * as z from "zod";
import { datasetExportLayouts } from "./dataset-formats.ts";
import { versionNoSchema } from "./dataset-schemas.ts";
import { defineRoute } from "./define-route.ts";
import { idSchema } from "./schemas.ts";

const access = { kind: "tenant", action: "read", resource: "dataset" } as const;
const params = z.strictObject({ dataset_id: idSchema });
const wantedVersion = versionNoSchema.optional().meta({ description: "The present version unless given" });

export const downloadDataset = defineRoute({
  id: "downloadDataset",
  method: "GET",
  path: "/datasets/{dataset_id}/download",
  tag: "datasets",
  summary:
    "The files of a version: one as it is, several as a ZIP; a connection that breaks off means that it is not whole",
  access,
  params,
  query: z.strictObject({ version_no: wantedVersion }),
  responses: { 200: { mediaType: "application/octet-stream", description: "The file, or application/zip" } },
});

export const exportDataset = defineRoute({
  id: "exportDataset",
  method: "GET",
  path: "/datasets/{dataset_id}/export",
  tag: "datasets",
  summary: "The valid rows of a version as a ZIP for a training program; Attune-Export-Counts tells what was left out",
  access,
  params,
  query: z.strictObject({
    layout: z.enum(datasetExportLayouts).meta({ description: "The program; for TRL, which answers are trained" }),
    version_no: wantedVersion,
    unwritable: z.enum(["refuse", "skip"]).default("refuse").meta({
      description: "What becomes of rows that cannot be written: `refuse` tells how many and exports nothing",
    }),
  }),
  responses: {
    200: { mediaType: "application/zip", description: "The files with what the program needs beside them" },
  },
});
