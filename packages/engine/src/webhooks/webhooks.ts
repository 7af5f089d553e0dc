import { createHmac, randomBytes } from "node:crypto";
import type { Caller } from "../ports/requests.ts";
import { DELIVERY_ATTEMPTS } from "../ports/webhooks.ts";
import type { DeliveryNote, DueDelivery, NewWebhook, WebhookStore } from "../ports/webhooks.ts";

/** Registers an address under a new secret, which is shown this once. */
export async function createWebhook(
  deps: { readonly webhooks: WebhookStore; readonly newId: () => string },
  request: Pick<NewWebhook, "url" | "events" | "flow">,
  caller: Caller,
): Promise<NewWebhook> {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const webhook = { ...request, id: deps.newId(), secret };
  await deps.webhooks.create(webhook, caller);
  return webhook;
}

/** The headers of a delivery as the Standard Webhooks specification names them; `atMs` is ms since 1970. */
export function signedHeaders(delivery: DueDelivery, atMs: number): Readonly<Record<string, string>> {
  const { id, secret, body } = delivery;
  const timestamp = String(Math.floor(atMs / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}

/** Null when the receiver took it, with any status of 2xx; otherwise why it did not. Never rejects. */
export type SendDelivery = (delivery: DueDelivery) => Promise<string | null>;

/**
 * Sends deliveries that are due, side by side; false when none was. What a process that dies took is due again when its lease
 * ends: at least once, under the same id.
 */
export async function sendDueDeliveries(
  deps: { readonly webhooks: WebhookStore; readonly send: SendDelivery; readonly newId: () => string },
  given: { readonly leaseMs: number; readonly limit: number },
): Promise<boolean> {
  const taken = await deps.webhooks.take(deps.newId(), given.leaseMs, given.limit);
  await Promise.all(
    taken.map(async (delivery) => {
      const error = await deps.send(delivery);
      await deps.webhooks.note(delivery, error === null ? { kind: "delivered" } : failed(error, delivery));
    }),
  );
  return taken.length > 0;
}

const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 3_600_000;

/** The pause doubles with every try. */
function failed(error: string, { attempts }: DueDelivery): DeliveryNote {
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
  return { kind: "failed", error, retryMs: attempts >= DELIVERY_ATTEMPTS ? null : pauseMs };
}
