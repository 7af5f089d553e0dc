CREATE TABLE "worker" (
	"id" text PRIMARY KEY NOT NULL,
	"version" text NOT NULL,
	"queue" text NOT NULL,
	"concurrency" integer NOT NULL,
	"draining" boolean DEFAULT false NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"beat_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "run_by_end" ON "run" USING btree ("finished_at") WHERE "run"."finished_at" is not null;