-- L-33: terminal statuses absorb. The one way out is the audited reset of a corrupt checkpoint.
create function refuse_leaving_terminal_status() returns trigger language plpgsql as $$
begin
  raise exception 'run % is % and an ended run never changes', old.id, old.status using errcode = 'restrict_violation';
end $$;
--> statement-breakpoint
-- The condition is outside the function, so that an ordinary commit calls nothing.
create trigger run_terminal_absorbs before update on run for each row
  when (
    old.status in ('succeeded', 'failed', 'cancelled')
    and new.status <> old.status
    and not (old.status = 'failed' and old.failure_code = 'checkpoint_corrupt' and new.status = 'queued')
  )
  execute function refuse_leaving_terminal_status();
--> statement-breakpoint
-- Room for heap-only updates on the page: these rows are rewritten by every iteration.
alter table run set (fillfactor = 70);
--> statement-breakpoint
alter table checkpoint set (fillfactor = 70);
--> statement-breakpoint
-- lz4 is 4 times faster than pglz on large states, but not every server is built with it.
do $$
begin
  alter table checkpoint alter column state set compression lz4;
exception when feature_not_supported then null;
end $$;
