CREATE TABLE "dataset_chunks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid NOT NULL,
	"row_count" integer NOT NULL,
	"rows" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "dataset_chunks_rows" CHECK ("dataset_chunks"."row_count" > 0)
);
--> statement-breakpoint
CREATE TABLE "dataset_files" (
	"version_id" uuid NOT NULL,
	"file_no" integer NOT NULL,
	"name" text NOT NULL,
	"file_id" uuid,
	"size" bigint NOT NULL,
	"raw_count" integer NOT NULL,
	"record_count" integer NOT NULL,
	CONSTRAINT "dataset_files_version_id_file_no_pk" PRIMARY KEY("version_id","file_no")
);
--> statement-breakpoint
CREATE TABLE "dataset_version_chunks" (
	"version_id" uuid NOT NULL,
	"first_row" integer NOT NULL,
	"row_count" integer NOT NULL,
	"file_no" integer NOT NULL,
	"chunk_id" uuid NOT NULL,
	CONSTRAINT "dataset_version_chunks_version_id_first_row_pk" PRIMARY KEY("version_id","first_row")
);
--> statement-breakpoint
CREATE TABLE "dataset_versions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"dataset_id" uuid NOT NULL,
	"version_no" integer NOT NULL,
	"origin" text NOT NULL,
	"parent_version_no" integer,
	"layout" text,
	"mapping" jsonb NOT NULL,
	"size" bigint NOT NULL,
	"raw_count" integer NOT NULL,
	"record_count" integer NOT NULL,
	"report" jsonb,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "dataset_versions_counts" CHECK ("dataset_versions"."record_count" between 0 and "dataset_versions"."raw_count")
);
--> statement-breakpoint
CREATE TABLE "datasets" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid NOT NULL,
	"owner_id" uuid NOT NULL,
	"is_private" boolean NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"layout" text,
	"size" bigint DEFAULT 0 NOT NULL,
	"record_count" integer DEFAULT 0 NOT NULL,
	"version_no" integer DEFAULT 0 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "datasets_counts" CHECK ("datasets"."size" >= 0 and "datasets"."record_count" >= 0 and "datasets"."version_no" >= 0)
);
--> statement-breakpoint
ALTER TABLE "dataset_chunks" ADD CONSTRAINT "dataset_chunks_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dataset_files" ADD CONSTRAINT "dataset_files_version_id_dataset_versions_id_fk" FOREIGN KEY ("version_id") REFERENCES "public"."dataset_versions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dataset_version_chunks" ADD CONSTRAINT "dataset_version_chunks_version_id_dataset_versions_id_fk" FOREIGN KEY ("version_id") REFERENCES "public"."dataset_versions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dataset_version_chunks" ADD CONSTRAINT "dataset_version_chunks_chunk_id_dataset_chunks_id_fk" FOREIGN KEY ("chunk_id") REFERENCES "public"."dataset_chunks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dataset_versions" ADD CONSTRAINT "dataset_versions_dataset_id_datasets_id_fk" FOREIGN KEY ("dataset_id") REFERENCES "public"."datasets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "datasets" ADD CONSTRAINT "datasets_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "dataset_chunks_created" ON "dataset_chunks" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "dataset_version_chunks_chunk" ON "dataset_version_chunks" USING btree ("chunk_id");--> statement-breakpoint
CREATE UNIQUE INDEX "dataset_versions_number" ON "dataset_versions" USING btree ("dataset_id","version_no");--> statement-breakpoint
CREATE UNIQUE INDEX "datasets_name" ON "datasets" USING btree ("tenant_id",lower("name")) WHERE "datasets"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "datasets_tenant" ON "datasets" USING btree ("tenant_id","id");