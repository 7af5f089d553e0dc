-- L-49: a context lives from the start or resume of its run to the next resume or the end, whoever writes that end.
create function forget_context() returns trigger language plpgsql as $$
begin
  delete from context where run_id = new.id;
  return null;
end $$;
--> statement-breakpoint
-- The condition is outside the function, so that an ordinary commit calls nothing.
create trigger run_forgets_context after update on run for each row
  when (
    new.status <> old.status
    and (old.status = 'waiting' or new.status in ('succeeded', 'failed', 'cancelled'))
  )
  execute function forget_context();
