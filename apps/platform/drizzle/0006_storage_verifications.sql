CREATE TABLE "storage_verifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"object_count" integer,
	"inline_count" integer,
	"size_bytes" bigint,
	"fault_count" integer,
	"faults" jsonb,
	"failure" text
);
--> statement-breakpoint
CREATE INDEX "storage_verifications_started" ON "storage_verifications" USING btree ("started_at");