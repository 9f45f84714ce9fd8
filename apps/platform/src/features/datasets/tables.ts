import { datasetLayouts } from "@attune/contracts/rest/dataset-formats.ts";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { bytea, idColumn, moment } from "../../infra/db/columns.ts";
import { tenants } from "../identity/index.ts";
import type { KeyMapping } from "./formats/key-mapping.ts";
import type { ValidationReport } from "./formats/validate.ts";

const count = (name: string) => integer(name).notNull().default(0);

export const datasets = pgTable(
  "datasets",
  {
    id: idColumn(),
    tenantId: uuid("tenant_id")
      .notNull()
      .references(() => tenants.id),
    ownerId: uuid("owner_id").notNull(),
    isPrivate: boolean("is_private").notNull(),
    name: text("name").notNull(),
    description: text("description").notNull(),
    /** Null while it has no rows. */
    layout: text("layout", { enum: datasetLayouts }),
    /** Sum of its files' bytes in the present version. */
    size: bigint("size", { mode: "number" }).notNull().default(0),
    /** Training examples of the present version. */
    recordCount: count("record_count"),
    /** The present version; 0 while it has none. */
    versionNo: count("version_no"),
    version: integer("version").notNull().default(1),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
    deletedAt: moment("deleted_at"),
  },
  (table) => [
    // A deleted dataset releases its name.
    uniqueIndex("datasets_name")
      .on(table.tenantId, sql`lower(${table.name})`)
      .where(sql`${table.deletedAt} is null`),
    index("datasets_tenant").on(table.tenantId, table.id),
    check("datasets_counts", sql`${table.size} >= 0 and ${table.recordCount} >= 0 and ${table.versionNo} >= 0`),
  ],
);

/** Versions never change; every save, upload or restoration makes another one. */
export const datasetVersions = pgTable(
  "dataset_versions",
  {
    id: idColumn(),
    datasetId: uuid("dataset_id")
      .notNull()
      .references(() => datasets.id),
    versionNo: integer("version_no").notNull(),
    origin: text("origin", { enum: ["upload", "edit", "restore", "convert", "split"] }).notNull(),
    /** The version that it was made of; null for the first one. */
    parentVersionNo: integer("parent_version_no"),
    layout: text("layout", { enum: datasetLayouts }),
    mapping: jsonb("mapping").$type<readonly KeyMapping[]>().notNull(),
    size: bigint("size", { mode: "number" }).notNull(),
    rawCount: integer("raw_count").notNull(),
    recordCount: integer("record_count").notNull(),
    /** Of the last validation of all rows; null after an edit, until the next one. */
    report: jsonb("report").$type<ValidationReport>(),
    createdBy: uuid("created_by").notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("dataset_versions_number").on(table.datasetId, table.versionNo),
    check("dataset_versions_counts", sql`${table.recordCount} between 0 and ${table.rawCount}`),
  ],
);

/** The files of a version, in the order of their rows. The counts of datasets and versions are the sums of these. */
export const datasetFiles = pgTable(
  "dataset_files",
  {
    versionId: uuid("version_id")
      .notNull()
      .references(() => datasetVersions.id),
    fileNo: integer("file_no").notNull(),
    name: text("name").notNull(),
    /** The uploaded file, as long as the rows are those that it holds; null once they were edited. */
    fileId: uuid("file_id"),
    size: bigint("size", { mode: "number" }).notNull(),
    rawCount: integer("raw_count").notNull(),
    recordCount: integer("record_count").notNull(),
  },
  (table) => [primaryKey({ columns: [table.versionId, table.fileNo] })],
);

/** Rows that follow each other, packed. Never changed: versions share them. */
export const datasetChunks = pgTable(
  "dataset_chunks",
  {
    id: idColumn(),
    tenantId: uuid("tenant_id")
      .notNull()
      .references(() => tenants.id),
    rowCount: integer("row_count").notNull(),
    /** See pack-rows.ts. */
    rows: bytea("rows").notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    // For the sweep of chunks whose import never ended.
    index("dataset_chunks_created").on(table.createdAt),
    check("dataset_chunks_rows", sql`${table.rowCount} > 0`),
  ],
);

/** Which chunks a version consists of: the rows `first_row` … `first_row + row_count - 1` are those of the chunk. */
export const datasetVersionChunks = pgTable(
  "dataset_version_chunks",
  {
    versionId: uuid("version_id")
      .notNull()
      .references(() => datasetVersions.id),
    firstRow: integer("first_row").notNull(),
    rowCount: integer("row_count").notNull(),
    fileNo: integer("file_no").notNull(),
    chunkId: uuid("chunk_id")
      .notNull()
      .references(() => datasetChunks.id),
  },
  (table) => [
    primaryKey({ columns: [table.versionId, table.firstRow] }),
    index("dataset_version_chunks_chunk").on(table.chunkId),
  ],
);
