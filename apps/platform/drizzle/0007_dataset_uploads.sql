CREATE TABLE "dataset_upload_pieces" (
	"upload_id" uuid NOT NULL,
	"first_byte" bigint NOT NULL,
	"file_id" uuid NOT NULL,
	CONSTRAINT "dataset_upload_pieces_upload_id_first_byte_pk" PRIMARY KEY("upload_id","first_byte")
);
--> statement-breakpoint
CREATE TABLE "dataset_uploads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid NOT NULL,
	"dataset_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"size" bigint NOT NULL,
	"sha256" text,
	"mode" text NOT NULL,
	"layout" text,
	"received" bigint DEFAULT 0 NOT NULL,
	"state" text NOT NULL,
	"claim_id" uuid,
	"claimed_until" timestamp (3) with time zone,
	"version_no" integer,
	"report" jsonb,
	"problem" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "dataset_uploads_received" CHECK ("dataset_uploads"."received" between 0 and "dataset_uploads"."size"),
	CONSTRAINT "dataset_uploads_state" CHECK ("dataset_uploads"."state" in ('open', 'completed', 'failed'))
);
--> statement-breakpoint
ALTER TABLE "dataset_upload_pieces" ADD CONSTRAINT "dataset_upload_pieces_upload_id_dataset_uploads_id_fk" FOREIGN KEY ("upload_id") REFERENCES "public"."dataset_uploads"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dataset_uploads" ADD CONSTRAINT "dataset_uploads_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dataset_uploads" ADD CONSTRAINT "dataset_uploads_dataset_id_datasets_id_fk" FOREIGN KEY ("dataset_id") REFERENCES "public"."datasets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "dataset_uploads_user" ON "dataset_uploads" USING btree ("dataset_id","user_id","id");--> statement-breakpoint
CREATE INDEX "dataset_uploads_open" ON "dataset_uploads" USING btree ("tenant_id","user_id") WHERE "dataset_uploads"."state" = 'open';--> statement-breakpoint
CREATE INDEX "dataset_uploads_updated" ON "dataset_uploads" USING btree ("updated_at");