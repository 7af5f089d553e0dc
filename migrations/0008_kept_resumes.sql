-- Gives a parked run the resume that is kept for this wait, if its time has come; its new token, or null. The caller holds the row's lock.
create function give_kept_resume(parked uuid) returns bigint language sql as $$
  with given as (
    delete from kept_resume k using run r
    where k.run_id = parked and r.id = k.run_id and r.status = 'waiting' and (k.until is null or k.until <= now())
      and (k.next_iteration is null or k.next_iteration = r.next_iteration)
    returning k.*
  ), resumed as (
    update run
    set status = 'queued', token = run.token + 1, attempt = 0, attempt_ms = 0, prior_ms = 0, fresh = true, in_doubt = false,
        lease_owner = null, lease_until = null, due_at = null, settled_at = null, resume_id = g.resume_id,
        inputs = coalesce(g.inputs, run.inputs), flow_version_id = coalesce(g.flow_version_id, run.flow_version_id),
        version = coalesce(g.version, run.version),
        dispatch_after = now() + interval '2 s', event_seq = run.event_seq + 1, updated_at = now(), last_write = g.resume_id
    from given g
    where run.id = g.run_id and run.status = 'waiting'
    returning run.id, run.token, run.next_iteration, run.event_seq
  ), told as (
    insert into event (run_id, seq, events)
    select id, event_seq,
           json_build_array(json_build_object('type', 'run-resumed', 'nextIteration', next_iteration, 'kept', true))::text
    from resumed
  )
  select token from resumed
$$;
--> statement-breakpoint
-- A run never parks beside a resume that came before: the two meet in the transaction of the commit. One with a later time is shown as due.
create function meet_kept_resume() returns trigger language plpgsql as $$
begin
  if give_kept_resume(new.id) is null then
    update run set due_at = k.until from kept_resume k
    where run.id = new.id and k.run_id = run.id and run.status = 'waiting' and k.until is not null
      and (k.next_iteration is null or k.next_iteration = run.next_iteration);
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger run_meets_kept_resume after update on run for each row
  when (new.status = 'waiting' and old.status <> 'waiting')
  execute function meet_kept_resume();
--> statement-breakpoint
create function forget_kept_resume() returns trigger language plpgsql as $$
begin
  delete from kept_resume where run_id = new.id;
  return null;
end $$;
--> statement-breakpoint
create trigger run_forgets_kept_resume after update on run for each row
  when (new.status <> old.status and new.status in ('succeeded', 'failed', 'cancelled'))
  execute function forget_kept_resume();
