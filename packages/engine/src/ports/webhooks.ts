import type { Page } from "./reads.ts";
import type { Caller } from "./requests.ts";

/** What a run can come to that others are told of. */
export const webhookEvents = ["waiting", "succeeded", "failed", "cancelled"] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** Tries at one delivery; with the pauses between them about two and a half hours. */
export const DELIVERY_ATTEMPTS = 12;

export type NewWebhook = {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  /** Only runs of this flow; null is all. */
  readonly flow: string | null;
  /** `whsec_` and base64. */
  readonly secret: string;
};

/** Times are ISO 8601 UTC. The secret is shown once, when it is made. */
export type WebhookView = Omit<NewWebhook, "secret"> & {
  readonly actor: string;
  readonly createdAt: string;
};

/** `pending` until it was taken (`delivered`), or tried too often (`given_up`). */
export type DeliveryStatus = "pending" | "delivered" | "given_up";

export type DeliveryView = {
  readonly id: string;
  readonly runId: string;
  readonly event: WebhookEvent;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** When it is tried next; null when it is no more. */
  readonly nextAt: string | null;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
};

/** A delivery that is due, taken under a lease that ends with `note`; the try counts already. */
export type DueDelivery = {
  readonly id: string;
  readonly lease: string;
  readonly url: string;
  readonly secret: string;
  /** Exact text of what is sent. */
  readonly body: string;
  readonly attempts: number;
};

/** `retryMs`: until the next try; null gives it up. */
export type DeliveryNote =
  | { readonly kind: "delivered" }
  | { readonly kind: "failed"; readonly error: string; readonly retryMs: number | null };

/** Webhooks in Postgres. Deliveries are made in the transaction of the change they tell of; any number of processes send them. */
export interface WebhookStore {
  /** Audited (S-22). */
  create(webhook: NewWebhook, caller: Caller): Promise<void>;
  list(): Promise<readonly WebhookView[]>;
  /** With its deliveries. False when there is none. Audited. */
  remove(id: string, caller: Caller): Promise<boolean>;
  /** Its deliveries, newest first; those that ended are kept for a week. */
  deliveries(
    id: string,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<Page<DeliveryView> | "not_found" | "invalid_cursor">;
  /** Sends a delivery anew under its old id, with all its tries. False when there is none. Audited. */
  redeliver(id: string, delivery: string, caller: Caller): Promise<boolean>;
  /** Up to `limit` deliveries that are due and that nobody works at; each is due again when the lease ends. */
  take(lease: string, leaseMs: number, limit: number): Promise<readonly DueDelivery[]>;
  /** False, and nothing is stored, when the lease is another's now. Removes some that ended a week ago. */
  note(delivery: Pick<DueDelivery, "id" | "lease">, note: DeliveryNote): Promise<boolean>;
}
