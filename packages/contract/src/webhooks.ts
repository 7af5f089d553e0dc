import { z } from "zod";
import { flowName, pageOf, pageQuery, plainText, runId, time } from "./values.ts";

export const webhookEvent = z.enum(["waiting", "succeeded", "failed", "cancelled"]);

export const webhookBody = z.strictObject({
  url: plainText
    .max(2000)
    .refine(isTarget, "must be an address that begins with http:// or https://, without user and password")
    .describe("Where POST requests go."),
  events: z.array(webhookEvent).min(1).max(4).optional().describe("All four when left out."),
  flow: flowName.optional().describe("Only runs of this flow."),
});

/** An address that is told when runs park or end. */
export const webhook = z.object({
  id: z.uuid(),
  url: z.string(),
  events: z.array(webhookEvent),
  flow: flowName.nullable(),
  actor: z.string(),
  createdAt: time,
});

export const newWebhook = webhook
  .omit({ actor: true, createdAt: true })
  .extend({ secret: z.string().describe("Signs what is sent; shown this once.") });

export const webhookList = z.object({ items: z.array(webhook) });

/** One message; its id is the header `webhook-id` of every try. */
export const webhookDelivery = z.object({
  id: z.uuid(),
  runId,
  event: webhookEvent,
  status: z
    .enum(["pending", "delivered", "given_up"])
    .describe("`pending` until a try was answered with 2xx or the last one was not."),
  attempts: z.int(),
  nextAt: time.nullable(),
  lastError: z.string().nullable(),
  createdAt: time,
  finishedAt: time.nullable(),
});

export const webhookDeliveryPage = pageOf(webhookDelivery);
export const webhookDeliveryQuery = z.strictObject(pageQuery);

export type WebhookBody = z.input<typeof webhookBody>;
export type WebhookAnswer = z.infer<typeof webhook>;

function isTarget(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}
