import type pg from "pg";
import { BULK_MAX_RUNS, bulkStepSize } from "@agentflow/engine";
import type { BulkAction, BulkResult, BulkStep, Caller, CreateBulkOutcome, NewBulk } from "@agentflow/engine";
import { sql } from "drizzle-orm";
import { openDrizzle } from "../connection/drizzle.ts";
import { run, withTransaction, type Queryable } from "../connection/transaction.ts";
import { targetCondition } from "../reads/bulk.ts";

/** Stores an action without its runs. Guard: the Idempotency-Key is new; one on its way with the same key is waited for. */
const CREATE_BULK = {
  name: "create_bulk",
  text: `
    insert into bulk (id, action, filter, payload, inputs, version, buffer, per_second, actor, remote, idempotency_key, request_digest, total)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0)
    on conflict (idempotency_key) do nothing
    returning id`,
};

const FIND_KEY = {
  name: "find_bulk_by_key",
  text: "select id, request_digest from bulk where idempotency_key = $1",
};

/** Fixes the number of its runs, and ends it when there is none. */
const COUNT_ITEMS = {
  name: "count_bulk_items",
  text: `
    with counted as (
      update bulk
      set total = $2, status = case when $2 = 0 then 'done' else status end, finished_at = case when $2 = 0 then now() end
      where id = $1
      returning id, action, actor, remote, total
    )
    insert into audit (action, actor, remote, details)
    select 'bulk', actor, remote, json_build_object('bulk', id, 'action', action, 'runs', total)::text from counted`,
};

class TooManyRuns extends Error {}

/** One transaction: the action and its runs, or nothing. */
export async function createBulk(pool: pg.Pool, bulk: NewBulk): Promise<CreateBulkOutcome> {
  try {
    return await withTransaction(pool, (client) => create(client, bulk));
  } catch (error) {
    if (error instanceof TooManyRuns) return { kind: "too_many" };
    throw error;
  }
}

async function create(client: pg.PoolClient, bulk: NewBulk): Promise<CreateBulkOutcome> {
  const { id, action, target, payload, inputs, version, buffer, perSecond, caller, requestDigest } = bulk;
  const filter = target.kind === "filter" ? JSON.stringify(target.filter) : null;
  const what = [id, action, filter, payload, inputs, version, buffer, perSecond];
  const who = [caller.actor, caller.remote, bulk.idempotencyKey, requestDigest];
  if ((await run(client, CREATE_BULK, [...what, ...who])).length === 0) {
    const [earlier] = await run<{ id: string; request_digest: string }>(client, FIND_KEY, [
      bulk.idempotencyKey,
    ]);
    if (earlier === undefined) throw new Error("an action that has this Idempotency-Key cannot be read");
    return { kind: earlier.request_digest === requestDigest ? "existing" : "conflict", id: earlier.id };
  }
  const total = await addItems(client, bulk);
  if (total > BULK_MAX_RUNS) throw new TooManyRuns();
  await run(client, COUNT_ITEMS, [id, total]);
  return { kind: "created" };
}

/** Named runs are kept as they were named, known or not; of a filter those that match now. */
async function addItems(client: pg.PoolClient, bulk: NewBulk): Promise<number> {
  const db = openDrizzle(client);
  const { id, target } = bulk;
  if (target.kind === "ids") {
    const ids = [...new Set(target.ids)];
    const added = await client.query(
      `insert into bulk_item (bulk_id, place, run_id)
       select $1, place - 1, id from unnest($2::uuid[]) with ordinality as given (id, place)`,
      [id, ids],
    );
    return added.rowCount ?? 0;
  }
  const condition = targetCondition(bulk);
  if (condition === null) return 0;
  const added = await db.execute(sql`
    insert into bulk_item (bulk_id, place, run_id)
    select ${id}, row_number() over (order by created_at, id) - 1, id
    from (select id, created_at from run where ${condition} limit ${BULK_MAX_RUNS + 1}) found`);
  return added.rowCount ?? 0;
}

/** Stops an action. Guard: it is running. Audited. */
const ABORT_BULK = {
  name: "abort_bulk",
  text: `
    with found as (
      select id, status from bulk where id = $1 for update
    ), stopped as (
      update bulk b set status = 'aborted', finished_at = now() from found f where b.id = f.id and f.status = 'running'
      returning b.id
    ), audited as (
      insert into audit (action, actor, remote, details)
      select 'bulk_abort', $2, $3, json_build_object('bulk', id)::text from stopped
    )
    select status from found`,
};

/** Whether it was running; null when there is none. */
export async function abortBulk(db: Queryable, id: string, caller: Caller): Promise<boolean | null> {
  const [found] = await run<{ status: string }>(db, ABORT_BULK, [id, caller.actor, caller.remote]);
  return found === undefined ? null : found.status === "running";
}

/**
 * Takes a lease on the action that is due first. Guard: running, due, and nobody's lease on it is live; rows that others lock are
 * skipped. It is due again when its pace allows, whether this step lives or dies.
 */
const TAKE_BULK = {
  name: "take_bulk",
  text: `
    with due as (
      select id from bulk
      where status = 'running' and next_at <= now() and (lease_until is null or lease_until < now())
      order by next_at
      limit 1
      for update skip locked
    )
    update bulk b
    set lease_owner = $1, lease_until = now() + $2 * interval '1 ms',
        next_at = now() + least(100, ceil(per_second / 2.0)) / per_second * interval '1 s'
    from due
    where b.id = due.id
    returning b.id, b.action, b.payload, b.inputs, b.version, b.buffer, b.per_second, b.actor, b.remote`,
};

const OPEN_ITEMS = {
  name: "open_bulk_items",
  text: `select place, run_id from bulk_item where bulk_id = $1 and outcome is null order by place limit $2`,
};

type TakenRow = {
  readonly id: string;
  readonly action: BulkAction;
  readonly payload: string | null;
  readonly inputs: string | null;
  readonly version: number | null;
  readonly buffer: boolean;
  readonly per_second: number;
  readonly actor: string;
  readonly remote: string;
};

/** The next step of an action; its items are nobody else's while the lease lives. */
export async function takeBulk(db: Queryable, lease: string, leaseMs: number): Promise<BulkStep | null> {
  const [row] = await run<TakenRow>(db, TAKE_BULK, [lease, leaseMs]);
  if (row === undefined) return null;
  const { id, action, payload, inputs, version, buffer, per_second: perSecond, actor, remote } = row;
  const size = bulkStepSize(perSecond);
  const items = await run<{ place: number; run_id: string }>(db, OPEN_ITEMS, [id, size]);
  return {
    ...{ id, lease, action, payload, inputs, version, buffer, caller: { actor, remote } },
    items: items.map(({ place, run_id: runId }) => ({ place, runId })),
    paceMs: Math.ceil((1000 * size) / perSecond),
  };
}

const LOCK_BULK = {
  name: "lock_bulk",
  text: "select 1 from bulk where id = $1 and lease_owner = $2 for update",
};

const NOTE_ITEMS = {
  name: "note_bulk_items",
  text: `
    update bulk_item i
    set outcome = g.outcome, message = g.message, started_id = g.started_id
    from unnest($2::int[], $3::text[], $4::text[], $5::uuid[]) as g (place, outcome, message, started_id)
    where i.bulk_id = $1 and i.place = g.place and i.outcome is null`,
};

/** Ends the lease, and the action with its last run. Guard: the lease, on a row this transaction has locked. */
const END_STEP = {
  name: "end_bulk_step",
  text: `
    with rest as (
      select exists (select from bulk_item where bulk_id = $1 and outcome is null) as open
    )
    update bulk
    set lease_owner = null, lease_until = null,
        status = case when status = 'running' and not rest.open then 'done' else status end,
        finished_at = case when status = 'running' and not rest.open then now() else finished_at end
    from rest
    where id = $1 and lease_owner = $2`,
};

/** False when somebody else took the step over. */
export function noteBulk(
  pool: pg.Pool,
  { id, lease }: Pick<BulkStep, "id" | "lease">,
  results: readonly BulkResult[],
): Promise<boolean> {
  return withTransaction(pool, async (client) => {
    if ((await run(client, LOCK_BULK, [id, lease])).length === 0) return false;
    const column = <T>(of: (result: BulkResult) => T): T[] => results.map(of);
    const columns = [
      column(({ place }) => place),
      column(({ outcome }) => outcome),
      // Messages may quote what a text column cannot hold.
      column(({ message }) => message?.replaceAll("\0", "\ufffd") ?? null),
      column(({ startedId }) => startedId),
    ];
    await run(client, NOTE_ITEMS, [id, ...columns]);
    await run(client, END_STEP, [id, lease]);
    return true;
  });
}
