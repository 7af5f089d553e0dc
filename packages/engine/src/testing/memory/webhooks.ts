import { randomUUID } from "node:crypto";
import { StoreUnavailable } from "../../ports/store-errors.ts";
import type {
  DeliveryStatus,
  DeliveryView,
  DueDelivery,
  NewWebhook,
  WebhookEvent,
  WebhookStore,
} from "../../ports/webhooks.ts";
import { comparePositions, keysetPage } from "./pages.ts";
import { audit } from "./tables.ts";
import type { Tables } from "./tables.ts";

export type WebhookRow = NewWebhook & { readonly actor: string; readonly createdMs: number };

export type DeliveryRow = {
  readonly id: string;
  readonly webhookId: string;
  readonly runId: string;
  readonly event: WebhookEvent;
  readonly body: string;
  status: DeliveryStatus;
  attempts: number;
  nextMs: number;
  lease: string | null;
  lastError: string | null;
  readonly createdMs: number;
  finishedMs: number | null;
};

const WEEK_MS = 7 * 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();

function deliveryView(row: DeliveryRow): DeliveryView {
  const { id, runId, event, status, attempts, nextMs, lastError, createdMs, finishedMs } = row;
  return {
    ...{ id, runId, event, status, attempts, lastError, createdAt: iso(createdMs) },
    nextAt: status === "pending" ? iso(nextMs) : null,
    finishedAt: finishedMs === null ? null : iso(finishedMs),
  };
}

function take(tables: Tables, lease: string, leaseMs: number, limit: number): DueDelivery[] {
  const now = tables.nowMs();
  const due = [...tables.deliveries.values()]
    .filter(({ status, nextMs }) => status === "pending" && nextMs <= now)
    .sort((a, b) => a.nextMs - b.nextMs)
    .slice(0, limit);
  return due.map((row) => {
    Object.assign(row, { lease, nextMs: now + leaseMs, attempts: row.attempts + 1 });
    const { url, secret } = tables.webhooks.get(row.webhookId)!;
    return { id: row.id, lease, url, secret, body: row.body, attempts: row.attempts };
  });
}

function note(tables: Tables, ...[{ id, lease }, given]: Parameters<WebhookStore["note"]>): boolean {
  const now = tables.nowMs();
  for (const row of tables.deliveries.values())
    if (row.finishedMs !== null && row.finishedMs < now - WEEK_MS) tables.deliveries.delete(row.id);
  const row = tables.deliveries.get(id);
  if (row?.lease !== lease || row.status !== "pending") return false;
  row.lease = null;
  if (given.kind === "delivered")
    Object.assign(row, { status: "delivered", lastError: null, finishedMs: now });
  else if (given.retryMs === null)
    Object.assign(row, { status: "given_up", lastError: given.error, finishedMs: now });
  else Object.assign(row, { lastError: given.error, nextMs: now + given.retryMs });
  return true;
}

function remove(tables: Tables, ...[id, caller]: Parameters<WebhookStore["remove"]>): boolean {
  if (!tables.webhooks.delete(id)) return false;
  for (const row of tables.deliveries.values()) if (row.webhookId === id) tables.deliveries.delete(row.id);
  audit(tables, { runId: null, action: "webhook_delete", caller });
  return true;
}

function redeliver(
  tables: Tables,
  ...[id, delivery, caller]: Parameters<WebhookStore["redeliver"]>
): boolean {
  const row = tables.deliveries.get(delivery);
  if (row?.webhookId !== id) return false;
  const anew = { status: "pending", attempts: 0, nextMs: tables.nowMs(), lease: null, finishedMs: null };
  Object.assign(row, anew);
  audit(tables, { runId: row.runId, action: "webhook_redeliver", caller });
  return true;
}

/** `WebhookStore` over the tables. */
export function memoryWebhooks(tables: Tables): WebhookStore {
  const there = <T>(answer: () => T): Promise<T> =>
    tables.away
      ? Promise.reject(new StoreUnavailable("the memory store is away"))
      : Promise.resolve(answer());
  return {
    create: (webhook, caller) =>
      there(() => {
        tables.webhooks.set(webhook.id, { ...webhook, actor: caller.actor, createdMs: tables.nowMs() });
        audit(tables, { runId: null, action: "webhook_create", caller });
      }),
    list: () =>
      there(() =>
        [...tables.webhooks.values()]
          .map(({ secret: _secret, createdMs, ...row }) => ({ ...row, createdAt: iso(createdMs) }))
          .reverse(),
      ),
    remove: (id, caller) => there(() => remove(tables, id, caller)),
    deliveries: (id, page) =>
      there(() => {
        if (!tables.webhooks.has(id)) return "not_found";
        const positionOf = (row: DeliveryRow) => [row.createdMs, row.id];
        const before = (a: readonly (string | number)[], b: readonly (string | number)[]) =>
          comparePositions(a, b) > 0;
        const rows = [...tables.deliveries.values()]
          .filter(({ webhookId }) => webhookId === id)
          .sort((a, b) => comparePositions(positionOf(b), positionOf(a)));
        return keysetPage(rows, page, { positionOf, before }, deliveryView);
      }),
    redeliver: (id, delivery, caller) => there(() => redeliver(tables, id, delivery, caller)),
    take: (lease, leaseMs, limit) => there(() => take(tables, lease, leaseMs, limit)),
    note: (delivery, given) => there(() => note(tables, delivery, given)),
  };
}

/** Makes the deliveries of a run that has just parked or ended, as the database's trigger does. */
export function tellWebhooks(
  tables: Tables,
  run: { readonly id: string; readonly flow: string; readonly version: number; readonly status: string } & {
    readonly nextIteration: number;
    readonly failure: { readonly code: string } | null;
  },
): void {
  const { id: runId, flow, version, status, nextIteration } = run;
  for (const webhook of tables.webhooks.values()) {
    if (!webhook.events.some((event) => event === status)) continue;
    if (webhook.flow !== null && webhook.flow !== flow) continue;
    const data = { runId, flow, version, status, nextIteration, failureCode: run.failure?.code ?? null };
    const body = JSON.stringify({ type: `run.${status}`, timestamp: iso(tables.nowMs()), data });
    const id = randomUUID();
    tables.deliveries.set(id, {
      ...{ id, webhookId: webhook.id, runId, event: status as WebhookEvent, body },
      ...{ status: "pending", attempts: 0, nextMs: tables.nowMs(), lease: null, lastError: null },
      ...{ createdMs: tables.nowMs(), finishedMs: null },
    });
  }
}
