ALTER TABLE "checkpoint" ADD COLUMN "inherited" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "checkpoint" ADD COLUMN "guarded" text;--> statement-breakpoint
ALTER TABLE "iteration" ADD COLUMN "state_step" "bytea";--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "forked_from" uuid;--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "forked_loop" text;--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "forked_iteration" integer;--> statement-breakpoint
-- The bytes are compressed already; as they are they can be read in part.
ALTER TABLE "iteration" ALTER COLUMN "state_step" SET STORAGE EXTERNAL;
