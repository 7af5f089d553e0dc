import type { WebhookBody } from "@agentflow/contract";
import { connect } from "../connect.ts";
import { say, sayJson, tell } from "../console/out.ts";
import { table } from "../console/text.ts";

type Json = { readonly json?: true };
type Page = Json & { readonly limit?: number; readonly cursor?: string };

/** Registers an address and shows its secret. */
export async function createWebhookCommand(
  url: string,
  { event, flow, json }: Json & { readonly event?: readonly string[]; readonly flow?: string },
): Promise<void> {
  const events = event === undefined ? undefined : ([...event] as NonNullable<WebhookBody["events"]>);
  const made = await connect().createWebhook({ url, events, flow });
  if (json) return sayJson(made);
  say(`${made.id}\n${made.secret}`);
  tell("the second line is the secret that signs what is sent; it is not shown again");
}

/** Shows the registered addresses. */
export async function listWebhooksCommand({ json }: Json): Promise<void> {
  const list = await connect().listWebhooks();
  if (json) return sayJson(list);
  const rows = list.items.map(({ id, url, events, flow }) => [id, url, events.join(","), flow ?? "all"]);
  say(table([["WEBHOOK", "URL", "EVENTS", "FLOW"], ...rows]));
}

/** Shows a page of what was sent. */
export async function deliveriesCommand(id: string, { json, ...query }: Page): Promise<void> {
  const page = await connect().listWebhookDeliveries(id, query);
  if (json) return sayJson(page);
  const rows = page.items.map((one) => [
    ...[one.id, one.event, one.runId, one.status, String(one.attempts), one.lastError ?? ""],
  ]);
  say(table([["DELIVERY", "EVENT", "RUN", "STATUS", "TRIES", ""], ...rows]));
  if (page.nextCursor !== null) tell(`more with: --cursor ${page.nextCursor}`);
}

/** Sends a delivery anew. */
export async function redeliverCommand(id: string, delivery: string, { json }: Json): Promise<void> {
  await connect().redeliverWebhook(id, delivery);
  if (json) sayJson({ id: delivery, status: "pending" });
  else tell(`delivery ${delivery} is due now`);
}

/** Removes an address with its deliveries. */
export async function deleteWebhookCommand(id: string, { json }: Json): Promise<void> {
  await connect().deleteWebhook(id);
  if (json) sayJson({ id, deleted: true });
  else tell(`removed webhook ${id}`);
}
