CREATE TABLE "webhook" (
	"id" uuid PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"events" text[] NOT NULL,
	"flow" text,
	"secret" text NOT NULL,
	"actor" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_delivery" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"webhook_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"event" text NOT NULL,
	"body" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_owner" text,
	"last_error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "webhook_delivery_status" CHECK ("webhook_delivery"."status" in ('pending', 'delivered', 'given_up'))
);
--> statement-breakpoint
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_webhook_id_webhook_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."webhook"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_delivery_due" ON "webhook_delivery" USING btree ("next_at") WHERE "webhook_delivery"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_delivery_finished" ON "webhook_delivery" USING btree ("finished_at") WHERE "webhook_delivery"."finished_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_delivery_by_time" ON "webhook_delivery" USING btree ("webhook_id","created_at","id");--> statement-breakpoint
-- Every way to park or end passes here, so none can forget to tell. A run that meets a kept resume does not wait: nobody is told.
create function tell_webhooks() returns trigger language plpgsql as $$
begin
  insert into webhook_delivery (webhook_id, run_id, event, body)
  select w.id, new.id, new.status,
         json_build_object('type', 'run.' || new.status, 'timestamp', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'data', json_build_object('runId', new.id, 'flow', new.flow, 'version', new.version, 'status', new.status,
             'nextIteration', new.next_iteration, 'failureCode', new.failure_code))::text
  from webhook w
  where new.status = any (w.events) and (w.flow is null or w.flow = new.flow)
    and (new.status <> 'waiting' or exists (select from run r where r.id = new.id and r.status = 'waiting'));
  return null;
end $$;
--> statement-breakpoint
create trigger run_tells_webhooks after update on run for each row
  when (new.status <> old.status and new.status in ('waiting', 'succeeded', 'failed', 'cancelled'))
  execute function tell_webhooks();
