import { sql } from "drizzle-orm";
import { bigint, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytea, idColumn, moment } from "../../infra/db/columns.ts";
import { tenants } from "../identity/index.ts";

/** Every object that the platform has in a store. A row is there before its object, and goes after it. */
export const storageObjects = pgTable(
  "storage_objects",
  {
    id: idColumn(),
    tenantId: uuid("tenant_id")
      .notNull()
      .references(() => tenants.id),
    /** Name of the store. */
    store: text("store").notNull(),
    /** Made for this object and never used again. */
    key: text("key").notNull(),
    sizeBytes: bigint("size_bytes", { mode: "number" }),
    sha256: bytea("sha256"),
    mediaType: text("media_type").notNull(),
    ownerKind: text("owner_kind").notNull(),
    ownerId: uuid("owner_id").notNull(),
    state: text("state", { enum: ["pending", "live", "deleting"] }).notNull(),
    /** Of a pending one: until then its writer counts as alive. */
    leasedUntil: moment("leased_until").notNull(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (table) => [
    uniqueIndex("storage_objects_key").on(table.store, table.key),
    index("storage_objects_owner").on(table.ownerKind, table.ownerId),
    // Few are not live, and the sweep looks for those only.
    index("storage_objects_unsettled")
      .on(table.state, table.updatedAt)
      .where(sql`${table.state} <> 'live'`),
    check("storage_objects_state", sql`${table.state} in ('pending', 'live', 'deleting')`),
    check(
      "storage_objects_live",
      sql`${table.state} <> 'live' or (${table.sizeBytes} >= 0 and length(${table.sha256}) = 32)`,
    ),
  ],
);

/** Files of the platform's records. The content lies in the row or in an object, as the storage policy decided. */
export const files = pgTable(
  "files",
  {
    id: idColumn(),
    tenantId: uuid("tenant_id")
      .notNull()
      .references(() => tenants.id),
    ownerKind: text("owner_kind").notNull(),
    ownerId: uuid("owner_id").notNull(),
    mediaType: text("media_type").notNull(),
    sizeBytes: bigint("size_bytes", { mode: "number" }).notNull(),
    sha256: bytea("sha256").notNull(),
    content: bytea("content"),
    objectId: uuid("object_id").references(() => storageObjects.id),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("files_object").on(table.objectId),
    index("files_owner").on(table.ownerKind, table.ownerId),
    check("files_place", sql`(${table.content} is null) <> (${table.objectId} is null)`),
    check("files_size", sql`${table.sizeBytes} >= 0 and coalesce(length(${table.content}) = ${table.sizeBytes}, true)`),
    check("files_sha256", sql`length(${table.sha256}) = 32`),
  ],
);

/** One line of what a verification found wrong. */
export interface KeptFault {
  readonly kind: string;
  /** Key of the object, or the file whose content lies in the database. */
  readonly subject: string;
  readonly owner?: string;
  readonly detail?: string;
}

/** Runs of `verify-storage`. One without an end is under way, or its process is gone. */
export const storageVerifications = pgTable(
  "storage_verifications",
  {
    id: idColumn(),
    startedAt: moment("started_at").notNull(),
    endedAt: moment("ended_at"),
    objectCount: integer("object_count"),
    inlineCount: integer("inline_count"),
    sizeBytes: bigint("size_bytes", { mode: "number" }),
    faultCount: integer("fault_count"),
    /** The first of them. */
    faults: jsonb("faults").$type<readonly KeptFault[]>(),
    /** Why it could not be brought to its end. */
    failure: text("failure"),
  },
  (table) => [index("storage_verifications_started").on(table.startedAt)],
);
