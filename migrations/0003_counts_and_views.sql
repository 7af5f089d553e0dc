-- Counts of runs by status: changes are appended, so that no two transactions wait for one counter.
create function note_run_count() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then insert into run_count_change (status, change) values (old.status, -1); end if;
  if tg_op <> 'DELETE' then insert into run_count_change (status, change) values (new.status, 1); end if;
  return null;
end $$;
--> statement-breakpoint
create trigger run_counted after insert or delete on run for each row execute function note_run_count();
--> statement-breakpoint
-- The condition is outside the function, so that an ordinary commit calls nothing.
create trigger run_recounted after update on run for each row
  when (new.status <> old.status)
  execute function note_run_count();
--> statement-breakpoint
update run set settled_at = updated_at where status in ('waiting', 'succeeded', 'failed', 'cancelled');
--> statement-breakpoint
insert into run_count (status, runs) select status, count(*) from run group by status;
--> statement-breakpoint
-- Stable names and columns for dashboards (S-24); see docs/operations. None of them reads a state.
create schema ops;
--> statement-breakpoint
create view ops.runs as
  select id, flow, version, status, tags, priority, attempt, in_doubt, lease_owner, lease_until, failure_code, failure,
         loop, next_iteration, created_at, started_at, updated_at, finished_at
  from public.run;
--> statement-breakpoint
create view ops.loops as
  select run_id, path, label, status, epoch, next_iteration - 1 as iterations, next_iteration, max_iterations, timeout_ms,
         elapsed_ms, decision, summary, fingerprint
  from public.checkpoint;
--> statement-breakpoint
create view ops.iterations as
  select run_id, path, epoch, iteration, attempts, decision, summary, elapsed_ms, idempotency_key, error, committed_at
  from public.iteration;
--> statement-breakpoint
-- Completed iterations per minute of the last hour; a minute without any has no row.
create view ops.throughput as
  select date_trunc('minute', committed_at) as minute, count(*) as iterations, sum(elapsed_ms)::bigint as elapsed_ms
  from public.iteration
  where committed_at > now() - interval '1 hour'
  group by 1;
--> statement-breakpoint
create view ops.parked as
  select id, flow, version, loop, next_iteration, settled_at as parked_at, now() - settled_at as age
  from public.run
  where status = 'waiting';
--> statement-breakpoint
-- Live runs that nothing moves: no live lease, and past the time at which the sweep should have woken them (S-9).
create view ops.stuck as
  select id, flow, version, status, lease_owner, lease_until, dispatch_after, now() - dispatch_after as overdue
  from public.run
  where status in ('queued', 'running') and dispatch_after < now() - interval '30 s'
    and (lease_until is null or lease_until < now() - interval '30 s') and (due_at is null or due_at < now() - interval '30 s');
--> statement-breakpoint
create view ops.failures as
  select failure_code as code, flow, count(*) as runs, max(created_at) as newest
  from public.run
  where failure_code is not null and status = 'failed'
  group by failure_code, flow;
