CREATE TABLE "files" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid NOT NULL,
	"owner_kind" text NOT NULL,
	"owner_id" uuid NOT NULL,
	"media_type" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"sha256" "bytea" NOT NULL,
	"content" "bytea",
	"object_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "files_place" CHECK (("files"."content" is null) <> ("files"."object_id" is null)),
	CONSTRAINT "files_size" CHECK ("files"."size_bytes" >= 0 and coalesce(length("files"."content") = "files"."size_bytes", true)),
	CONSTRAINT "files_sha256" CHECK (length("files"."sha256") = 32)
);
--> statement-breakpoint
CREATE TABLE "storage_objects" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid NOT NULL,
	"store" text NOT NULL,
	"key" text NOT NULL,
	"size_bytes" bigint,
	"sha256" "bytea",
	"media_type" text NOT NULL,
	"owner_kind" text NOT NULL,
	"owner_id" uuid NOT NULL,
	"state" text NOT NULL,
	"leased_until" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "storage_objects_state" CHECK ("storage_objects"."state" in ('pending', 'live', 'deleting')),
	CONSTRAINT "storage_objects_live" CHECK ("storage_objects"."state" <> 'live' or ("storage_objects"."size_bytes" >= 0 and length("storage_objects"."sha256") = 32))
);
--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_object_id_storage_objects_id_fk" FOREIGN KEY ("object_id") REFERENCES "public"."storage_objects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "storage_objects" ADD CONSTRAINT "storage_objects_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "files_object" ON "files" USING btree ("object_id");--> statement-breakpoint
CREATE INDEX "files_owner" ON "files" USING btree ("owner_kind","owner_id");--> statement-breakpoint
CREATE UNIQUE INDEX "storage_objects_key" ON "storage_objects" USING btree ("store","key");--> statement-breakpoint
CREATE INDEX "storage_objects_owner" ON "storage_objects" USING btree ("owner_kind","owner_id");--> statement-breakpoint
CREATE INDEX "storage_objects_unsettled" ON "storage_objects" USING btree ("state","updated_at") WHERE "storage_objects"."state" <> 'live';