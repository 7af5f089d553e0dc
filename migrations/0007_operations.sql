CREATE TABLE "bulk" (
	"id" uuid PRIMARY KEY NOT NULL,
	"action" text NOT NULL,
	"status" text DEFAULT 'running' NOT NULL,
	"filter" text,
	"payload" text,
	"inputs" text,
	"version" integer,
	"buffer" boolean NOT NULL,
	"per_second" integer NOT NULL,
	"total" integer NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_owner" text,
	"lease_until" timestamp with time zone,
	"actor" text NOT NULL,
	"remote" text NOT NULL,
	"idempotency_key" text,
	"request_digest" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "bulk_idempotency_key" UNIQUE("idempotency_key"),
	CONSTRAINT "bulk_action" CHECK ("bulk"."action" in ('resume', 'cancel', 'rerun')),
	CONSTRAINT "bulk_status" CHECK ("bulk"."status" in ('running', 'done', 'aborted'))
);
--> statement-breakpoint
CREATE TABLE "bulk_item" (
	"bulk_id" uuid NOT NULL,
	"place" integer NOT NULL,
	"run_id" uuid NOT NULL,
	"outcome" text,
	"message" text,
	"started_id" uuid,
	CONSTRAINT "bulk_item_pkey" PRIMARY KEY("bulk_id","place")
);
--> statement-breakpoint
CREATE TABLE "kept_resume" (
	"run_id" uuid PRIMARY KEY NOT NULL,
	"resume_id" uuid NOT NULL,
	"until" timestamp with time zone,
	"next_iteration" integer,
	"inputs" text,
	"flow_version_id" uuid,
	"version" integer,
	"actor" text NOT NULL,
	"kept_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "flow_limit" (
	"flow" text PRIMARY KEY NOT NULL,
	"max_running" integer,
	"max_running_per_key" integer,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "flow_limit_from_1" CHECK ("flow_limit"."max_running" >= 1 and "flow_limit"."max_running_per_key" >= 1)
);
--> statement-breakpoint
CREATE TABLE "limit_hold" (
	"run_id" uuid PRIMARY KEY NOT NULL,
	"flow" text NOT NULL,
	"key" text,
	"token" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "limit_wait" (
	"run_id" uuid PRIMARY KEY NOT NULL,
	"flow" text NOT NULL,
	"key" text,
	"level" text NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	"rank" timestamp with time zone NOT NULL,
	CONSTRAINT "limit_wait_level" CHECK ("limit_wait"."level" in ('flow', 'key'))
);
--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "concurrency_key" text;--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "limited" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "bulk_item" ADD CONSTRAINT "bulk_item_bulk_id_bulk_id_fk" FOREIGN KEY ("bulk_id") REFERENCES "public"."bulk"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kept_resume" ADD CONSTRAINT "kept_resume_run_id_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."run"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flow_limit" ADD CONSTRAINT "flow_limit_flow_flow_name_fk" FOREIGN KEY ("flow") REFERENCES "public"."flow"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "limit_hold" ADD CONSTRAINT "limit_hold_run_id_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."run"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "limit_wait" ADD CONSTRAINT "limit_wait_run_id_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."run"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bulk_running" ON "bulk" USING btree ("next_at") WHERE "bulk"."status" = 'running';--> statement-breakpoint
CREATE INDEX "bulk_by_time" ON "bulk" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "bulk_item_open" ON "bulk_item" USING btree ("bulk_id","place") WHERE "bulk_item"."outcome" is null;--> statement-breakpoint
CREATE INDEX "kept_resume_due" ON "kept_resume" USING btree ("until") WHERE "kept_resume"."until" is not null;--> statement-breakpoint
CREATE INDEX "limit_hold_by_flow" ON "limit_hold" USING btree ("flow");--> statement-breakpoint
CREATE INDEX "limit_wait_by_flow" ON "limit_wait" USING btree ("flow","level","rank");