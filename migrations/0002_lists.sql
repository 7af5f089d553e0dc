CREATE TABLE "run_count" (
	"status" text PRIMARY KEY NOT NULL,
	"runs" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "run_count_change" (
	"status" text NOT NULL,
	"change" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "settled_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "iteration_by_time" ON "iteration" USING brin ("committed_at");--> statement-breakpoint
CREATE INDEX "run_by_flow_status" ON "run" USING btree ("flow","status","created_at","id");--> statement-breakpoint
CREATE INDEX "run_by_settling" ON "run" USING btree ("settled_at") WHERE "run"."settled_at" is not null;