CREATE TABLE "context" (
	"run_id" uuid NOT NULL,
	"references_digest" text NOT NULL,
	"sealed" "bytea" NOT NULL,
	"kept_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "context_pkey" PRIMARY KEY("run_id","references_digest")
);
--> statement-breakpoint
ALTER TABLE "checkpoint" ADD COLUMN "input_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "checkpoint" ADD COLUMN "output_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "step" ADD COLUMN "input_tokens" bigint;--> statement-breakpoint
ALTER TABLE "step" ADD COLUMN "output_tokens" bigint;--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "input_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "output_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "context" ADD CONSTRAINT "context_run_id_run_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."run"("id") ON DELETE cascade ON UPDATE no action;