import type { Caller, DeliveryNote, DueDelivery, NewWebhook } from "@agentflow/engine";
import { run, type Queryable } from "../connection/transaction.ts";

const CREATE_WEBHOOK = {
  name: "create_webhook",
  text: `
    with made as (
      insert into webhook (id, url, events, flow, secret, actor) values ($1, $2, $3, $4, $5, $6) returning id, url
    )
    insert into audit (action, actor, remote, details)
    select 'webhook_create', $6, $7, json_build_object('webhook', id, 'url', url)::text from made`,
};

/** Stores an address. */
export async function createWebhook(db: Queryable, webhook: NewWebhook, caller: Caller): Promise<void> {
  const { id, url, events, flow, secret } = webhook;
  await run(db, CREATE_WEBHOOK, [id, url, [...events], flow, secret, caller.actor, caller.remote]);
}

const REMOVE_WEBHOOK = {
  name: "remove_webhook",
  text: `
    with gone as (
      delete from webhook where id = $1 returning id, url
    ), audited as (
      insert into audit (action, actor, remote, details)
      select 'webhook_delete', $2, $3, json_build_object('webhook', id, 'url', url)::text from gone
    )
    select id from gone`,
};

/** False when there is none. */
export async function removeWebhook(db: Queryable, id: string, caller: Caller): Promise<boolean> {
  return (await run(db, REMOVE_WEBHOOK, [id, caller.actor, caller.remote])).length > 0;
}

/** Ends the lease of whoever is sending it: that try is noted no more. */
const REDELIVER = {
  name: "redeliver_webhook",
  text: `
    with again as (
      update webhook_delivery
      set status = 'pending', attempts = 0, next_at = now(), lease_owner = null, finished_at = null
      where id = $2 and webhook_id = $1
      returning id, run_id
    ), audited as (
      insert into audit (run_id, action, actor, remote, details)
      select run_id, 'webhook_redeliver', $3, $4, json_build_object('webhook', $1::text, 'delivery', id)::text from again
    )
    select id from again`,
};

/** False when there is none. */
export async function redeliver(
  db: Queryable,
  ...[id, delivery, caller]: [string, string, Caller]
): Promise<boolean> {
  return (await run(db, REDELIVER, [id, delivery, caller.actor, caller.remote])).length > 0;
}

/**
 * Takes deliveries. Guard: pending and due; rows that others lock are skipped. The lease is the time of the next try: a holder's
 * death costs that long.
 */
const TAKE_DELIVERIES = {
  name: "take_deliveries",
  text: `
    with due as (
      select id from webhook_delivery
      where status = 'pending' and next_at <= now()
      order by next_at
      limit $3
      for update skip locked
    )
    update webhook_delivery d
    set lease_owner = $1, next_at = now() + $2 * interval '1 ms', attempts = d.attempts + 1
    from due, webhook w
    where d.id = due.id and w.id = d.webhook_id
    returning d.id, d.body, d.attempts, w.url, w.secret`,
};

/** Nobody else's while the lease lives. */
export async function takeDeliveries(
  db: Queryable,
  ...[lease, leaseMs, limit]: [string, number, number]
): Promise<DueDelivery[]> {
  const rows = await run<Omit<DueDelivery, "lease">>(db, TAKE_DELIVERIES, [lease, leaseMs, limit]);
  return rows.map((row) => ({ ...row, lease }));
}

/** Guard: the lease. In passing it removes a few deliveries that ended a week ago. */
const NOTE_DELIVERY = {
  name: "note_delivery",
  text: `
    with old as (
      delete from webhook_delivery
      where id in (
        select id from webhook_delivery where finished_at < now() - interval '7 days' limit 10 for update skip locked
      )
    )
    update webhook_delivery
    set status = $3, last_error = $4, lease_owner = null,
        next_at = case when $3 = 'pending' then now() + $5 * interval '1 ms' else next_at end,
        finished_at = case when $3 = 'pending' then null else now() end
    where id = $1 and lease_owner = $2 and status = 'pending'
    returning id`,
};

/** False when somebody else took it over. */
export async function noteDelivery(
  db: Queryable,
  { id, lease }: Pick<DueDelivery, "id" | "lease">,
  note: DeliveryNote,
): Promise<boolean> {
  const given =
    note.kind === "delivered"
      ? (["delivered", null, 0] as const)
      : ([note.retryMs === null ? "given_up" : "pending", note.error, note.retryMs ?? 0] as const);
  return (await run(db, NOTE_DELIVERY, [id, lease, ...given])).length > 0;
}
