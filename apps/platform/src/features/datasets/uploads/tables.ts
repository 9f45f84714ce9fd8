import { datasetLayouts } from "@attune/contracts/rest/dataset-formats.ts";
import { sql } from "drizzle-orm";
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { idColumn, moment } from "../../../infra/db/columns.ts";
import { tenants } from "../../identity/index.ts";
import type { ValidationReport } from "../formats/validate.ts";
import { datasets } from "../tables.ts";

/** Why a file was not taken, for whoever asks again. */
export interface KeptProblem {
  readonly reason: string;
  readonly detail?: string;
  readonly violations?: readonly { readonly pointer: string; readonly message: string }[];
}

/** Files that arrive piece by piece. */
export const datasetUploads = pgTable(
  "dataset_uploads",
  {
    id: idColumn(),
    tenantId: uuid("tenant_id")
      .notNull()
      .references(() => tenants.id),
    datasetId: uuid("dataset_id")
      .notNull()
      .references(() => datasets.id),
    /** Nobody else may see it. */
    userId: uuid("user_id").notNull(),
    name: text("name").notNull(),
    size: bigint("size", { mode: "number" }).notNull(),
    sha256: text("sha256"),
    mode: text("mode", { enum: ["append", "replace"] }).notNull(),
    layout: text("layout", { enum: datasetLayouts }),
    /** Bytes that are kept, without a gap from the first one. */
    received: bigint("received", { mode: "number" }).notNull().default(0),
    state: text("state", { enum: ["open", "completed", "failed"] }).notNull(),
    /** Who completes it, and until when it counts as alive. */
    claimId: uuid("claim_id"),
    claimedUntil: moment("claimed_until"),
    versionNo: integer("version_no"),
    report: jsonb("report").$type<ValidationReport>(),
    problem: jsonb("problem").$type<KeptProblem>(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (table) => [
    index("dataset_uploads_user").on(table.datasetId, table.userId, table.id),
    index("dataset_uploads_open")
      .on(table.tenantId, table.userId)
      .where(sql`${table.state} = 'open'`),
    // For the sweep of those that expired.
    index("dataset_uploads_updated").on(table.updatedAt),
    check("dataset_uploads_received", sql`${table.received} between 0 and ${table.size}`),
    check("dataset_uploads_state", sql`${table.state} in ('open', 'completed', 'failed')`),
  ],
);

/** The bytes of an upload, until it is a version: each piece begins where the one before ends. */
export const datasetUploadPieces = pgTable(
  "dataset_upload_pieces",
  {
    uploadId: uuid("upload_id")
      .notNull()
      .references(() => datasetUploads.id),
    firstByte: bigint("first_byte", { mode: "number" }).notNull(),
    fileId: uuid("file_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.firstByte] })],
);
