import { run, type Queryable } from "../connection/transaction.ts";

/** What a live run was missing: its job, its worker, or nothing but that its due time came (S-9). */
export type Found = "job_lost" | "lease_expired" | "due";

export type SweptRun = {
  readonly id: string;
  readonly token: number;
  readonly found: Found;
  readonly delay_ms: number;
  /** 0 in the first minute in which the run does not move, then 1, from 2 minutes on 2, from 4 on 3; after a due time 1 at once. */
  readonly again: number;
};

/**
 * Finds live runs that nobody will wake and leaves each alone for 10 s, so that a backlog is not enqueued again by every
 * sweep (reliability A11). Guard: live, past its dispatch time, not leased, not waiting for a due time; rows that others
 * lock are skipped, so any number of sweeps may run at once (C22).
 *
 * A job that cannot be taken, such as one that a worker with a fast clock delayed or locked for an hour, swallows every other of
 * its id: a run that is past its due time, or does not move for a minute, gets one under another id, and again whenever that time
 * has doubled (A6).
 *
 * From the second death on a run waits, twice as long each time (L-51), and not for just as long as the others that died
 * with it: one that kills its worker would otherwise take the same neighbours with it until their attempts are used up.
 */
const SWEEP = {
  name: "sweep",
  text: `
    with due as (
      select id, lease_owner is not null as leased, due_at is not null as timed
      from run
      where status in ('queued', 'running') and dispatch_after <= now()
        and (lease_until is null or lease_until < now()) and (due_at is null or due_at <= now())
      order by id
      limit $1
      for update skip locked
    )
    update run r
    set dispatch_after = now() + interval '10 s'
    from due
    where r.id = due.id
    returning r.id, r.token,
      case when due.leased then 'lease_expired' when due.timed then 'due' else 'job_lost' end as found,
      case when due.leased and r.attempt > 1
        then floor(random() * least($2, 1000 * 2 ^ (r.attempt - 1)))::int else 0 end as delay_ms,
      case when due.timed or r.updated_at <= now() - interval '1 min'
        then 1 + floor(log(2, greatest(1, extract(epoch from now() - coalesce(r.due_at, r.updated_at)) / 60)))::int
        else 0 end as again`,
};

/** Less than the time for which a sweep leaves a run alone. */
const LONGEST_DELAY_MS = 8000;

/** At most `limit` runs with their current tokens. */
export function sweep(db: Queryable, limit: number): Promise<SweptRun[]> {
  return run(db, SWEEP, [limit, LONGEST_DELAY_MS]);
}
