CREATE TABLE "model_artifacts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"trained_model_id" uuid NOT NULL,
	"path" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"checksum_sha256" "bytea" NOT NULL,
	"storage_object_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "model_artifacts_size" CHECK ("model_artifacts"."size_bytes" >= 0),
	CONSTRAINT "model_artifacts_checksum" CHECK (length("model_artifacts"."checksum_sha256") = 32)
);
--> statement-breakpoint
CREATE TABLE "models" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid NOT NULL,
	"owner_id" uuid NOT NULL,
	"is_private" boolean NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"kind" text NOT NULL,
	"purpose" text NOT NULL,
	"path" text,
	"api_url" text,
	"api_model" text,
	"sealed_secret" text,
	"max_concurrency" integer,
	"requests_per_minute" integer,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "models_kind" CHECK (case "models"."kind"
        when 'api' then "models"."api_url" is not null and "models"."api_model" is not null and "models"."path" is null
        when 'base' then "models"."api_url" is null and "models"."api_model" is null and "models"."sealed_secret" is null
        else false end),
	CONSTRAINT "models_deleted_secret" CHECK ("models"."deleted_at" is null or "models"."sealed_secret" is null)
);
--> statement-breakpoint
CREATE TABLE "trained_models" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid NOT NULL,
	"owner_id" uuid NOT NULL,
	"is_private" boolean NOT NULL,
	"name" text NOT NULL,
	"model_id" uuid NOT NULL,
	"version_no" integer NOT NULL,
	"artifact_dir" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "model_artifacts" ADD CONSTRAINT "model_artifacts_trained_model_id_trained_models_id_fk" FOREIGN KEY ("trained_model_id") REFERENCES "public"."trained_models"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "models" ADD CONSTRAINT "models_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trained_models" ADD CONSTRAINT "trained_models_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trained_models" ADD CONSTRAINT "trained_models_model_id_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."models"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "model_artifacts_path" ON "model_artifacts" USING btree ("trained_model_id","path");--> statement-breakpoint
CREATE UNIQUE INDEX "models_name" ON "models" USING btree ("tenant_id",lower("name")) WHERE "models"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "models_tenant" ON "models" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "trained_models_version" ON "trained_models" USING btree ("tenant_id",lower("name"),"version_no") WHERE "trained_models"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "trained_models_model" ON "trained_models" USING btree ("model_id");