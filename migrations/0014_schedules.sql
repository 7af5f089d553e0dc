CREATE TABLE "schedule" (
	"id" uuid PRIMARY KEY NOT NULL,
	"flow" text NOT NULL,
	"version" integer,
	"inputs" text NOT NULL,
	"tags" text[] NOT NULL,
	"priority" integer,
	"concurrency_key" text,
	"cron" text NOT NULL,
	"time_zone" text NOT NULL,
	"overlap" text NOT NULL,
	"catch_up" text NOT NULL,
	"jitter_ms" integer NOT NULL,
	"paused" boolean NOT NULL,
	"next_at" timestamp with time zone,
	"due_at" timestamp with time zone,
	"lease_owner" text,
	"lease_until" timestamp with time zone,
	"last_tick" timestamp with time zone,
	"last_outcome" text,
	"last_message" text,
	"last_run_id" uuid,
	"actor" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "schedule_overlap" CHECK ("schedule"."overlap" in ('skip', 'queue', 'allow')),
	CONSTRAINT "schedule_catch_up" CHECK ("schedule"."catch_up" in ('none', 'one', 'all')),
	CONSTRAINT "schedule_last_outcome" CHECK ("schedule"."last_outcome" in ('started', 'skipped', 'failed'))
);
--> statement-breakpoint
CREATE INDEX "schedule_due" ON "schedule" USING btree ("due_at") WHERE "schedule"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "schedule_by_time" ON "schedule" USING btree ("created_at","id");