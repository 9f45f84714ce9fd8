import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytea, idColumn, moment } from "../../infra/db/columns.ts";
import { tenants } from "../identity/index.ts";

export const models = pgTable(
  "models",
  {
    id: idColumn(),
    tenantId: uuid("tenant_id")
      .notNull()
      .references(() => tenants.id),
    ownerId: uuid("owner_id").notNull(),
    isPrivate: boolean("is_private").notNull(),
    name: text("name").notNull(),
    description: text("description").notNull(),
    kind: text("kind", { enum: ["base", "api"] }).notNull(),
    purpose: text("purpose", { enum: ["chat", "embedding"] }).notNull(),
    /** Of a base model: where compute nodes find it. */
    path: text("path"),
    apiUrl: text("api_url"),
    apiModel: text("api_model"),
    /** Sealed for this record; see infra/secrets. */
    sealedSecret: text("sealed_secret"),
    maxConcurrency: integer("max_concurrency"),
    requestsPerMinute: integer("requests_per_minute"),
    version: integer("version").notNull().default(1),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
    deletedAt: moment("deleted_at"),
  },
  (table) => [
    // A deleted model releases its name.
    uniqueIndex("models_name")
      .on(table.tenantId, sql`lower(${table.name})`)
      .where(sql`${table.deletedAt} is null`),
    index("models_tenant").on(table.tenantId, table.id),
    check(
      "models_kind",
      sql`case ${table.kind}
        when 'api' then ${table.apiUrl} is not null and ${table.apiModel} is not null and ${table.path} is null
        when 'base' then ${table.apiUrl} is null and ${table.apiModel} is null and ${table.sealedSecret} is null
        else false end`,
    ),
    check("models_deleted_secret", sql`${table.deletedAt} is null or ${table.sealedSecret} is null`),
  ],
);

/** What training made of a base model. */
export const trainedModels = pgTable(
  "trained_models",
  {
    id: idColumn(),
    tenantId: uuid("tenant_id")
      .notNull()
      .references(() => tenants.id),
    ownerId: uuid("owner_id").notNull(),
    isPrivate: boolean("is_private").notNull(),
    name: text("name").notNull(),
    /** The model that it was made of. */
    modelId: uuid("model_id")
      .notNull()
      .references(() => models.id),
    versionNo: integer("version_no").notNull(),
    /** Folder of its files on the compute node that made it; set when its artifacts are registered. */
    artifactDir: text("artifact_dir"),
    version: integer("version").notNull().default(1),
    createdAt: moment("created_at").notNull(),
    deletedAt: moment("deleted_at"),
  },
  (table) => [
    uniqueIndex("trained_models_version")
      .on(table.tenantId, sql`lower(${table.name})`, table.versionNo)
      .where(sql`${table.deletedAt} is null`),
    index("trained_models_model").on(table.modelId),
  ],
);

/** The files of a trained model, one row each. */
export const modelArtifacts = pgTable(
  "model_artifacts",
  {
    id: idColumn(),
    trainedModelId: uuid("trained_model_id")
      .notNull()
      .references(() => trainedModels.id),
    /** Relative to `artifact_dir`, with slashes. */
    path: text("path").notNull(),
    sizeBytes: bigint("size_bytes", { mode: "number" }).notNull(),
    checksumSha256: bytea("checksum_sha256").notNull(),
    /** The object that archives it; null while only the node has it. */
    storageObjectId: uuid("storage_object_id"),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("model_artifacts_path").on(table.trainedModelId, table.path),
    check("model_artifacts_size", sql`${table.sizeBytes} >= 0`),
    check("model_artifacts_checksum", sql`length(${table.checksumSha256}) = 32`),
  ],
);
