CREATE TABLE "job_executors" (
	"id" uuid PRIMARY KEY NOT NULL,
	"place" text NOT NULL,
	"process_mark" text NOT NULL,
	"leased_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_items" (
	"id" uuid PRIMARY KEY NOT NULL,
	"job_id" uuid NOT NULL,
	"item_no" integer NOT NULL,
	"subject" text NOT NULL,
	"input" jsonb NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"steps" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"result" jsonb,
	"reason" text,
	"detail" text,
	"remedy" text,
	"violations" jsonb,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "job_items_state" CHECK (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
	CONSTRAINT "job_items_failed" CHECK (state <> 'failed' or (reason is not null and remedy is not null))
);
--> statement-breakpoint
CREATE TABLE "job_schedules" (
	"name" text PRIMARY KEY NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid,
	"kind" text NOT NULL,
	"params" jsonb NOT NULL,
	"created_by" uuid,
	"is_private" boolean NOT NULL,
	"singleton_key" text,
	"queued_count" integer DEFAULT 0 NOT NULL,
	"running_count" integer DEFAULT 0 NOT NULL,
	"succeeded_count" integer DEFAULT 0 NOT NULL,
	"failed_count" integer DEFAULT 0 NOT NULL,
	"cancelled_count" integer DEFAULT 0 NOT NULL,
	"state" text GENERATED ALWAYS AS (case
          when running_count > 0 then 'running'
          when queued_count > 0 and succeeded_count + failed_count + cancelled_count > 0 then 'running'
          when queued_count > 0 then 'queued'
          when cancelled_count > 0 then 'cancelled'
          when failed_count > 0 and succeeded_count > 0 then 'partially_succeeded'
          when failed_count > 0 then 'failed'
          else 'succeeded' end) STORED NOT NULL,
	"executor_id" uuid,
	"fence" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"cancel_requested_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "jobs_counts" CHECK (least(queued_count, running_count, succeeded_count, failed_count, cancelled_count) >= 0)
);
--> statement-breakpoint
ALTER TABLE "job_items" ADD CONSTRAINT "job_items_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "job_items_number" ON "job_items" USING btree ("job_id","item_no");--> statement-breakpoint
CREATE INDEX "job_items_state" ON "job_items" USING btree ("job_id","state","item_no");--> statement-breakpoint
CREATE UNIQUE INDEX "jobs_singleton" ON "jobs" USING btree ("singleton_key") WHERE singleton_key is not null and ended_at is null;--> statement-breakpoint
CREATE INDEX "jobs_open" ON "jobs" USING btree ("due_at") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "jobs_tenant" ON "jobs" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "jobs_ended" ON "jobs" USING btree ("ended_at");