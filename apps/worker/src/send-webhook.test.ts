import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { sendDueDeliveries } from "@agentflow/engine";
import type { DueDelivery } from "@agentflow/engine";
import { createMemoryStore } from "@agentflow/engine/testing";
import { expect, onTestFinished, test } from "vitest";
import { createSender, isPrivate } from "./send-webhook.ts";

const NOW = Date.UTC(2030, 0, 1);
const key = Buffer.from("a secret of some length");

async function receiver(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=1`;
}

function deliveryTo(url: string): DueDelivery {
  const secret = `whsec_${key.toString("base64")}`;
  return { id: "id-1", lease: "a", url, secret, body: '{"type":"run.waiting","flow":"é"}', attempts: 1 };
}

const sender = (given: { allowPrivate?: boolean; timeoutMs?: number } = {}) =>
  createSender({ allowPrivate: true, nowMs: () => NOW, ...given });

test("3.4: a delivery is a POST of the exact body, signed over id, time and body", async () => {
  let seen: {
    method?: string | undefined;
    url?: string | undefined;
    headers: IncomingHttpHeaders;
    body: string;
  };
  const url = await receiver(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    seen = { method: request.method, url: request.url, headers: request.headers, body };
    response.writeHead(204).end();
  });
  const delivery = deliveryTo(url);
  expect(await sender()(delivery)).toBeNull();
  const { method, headers, body } = seen!;
  expect([method, seen!.url, body]).toEqual(["POST", "/hook?a=1", delivery.body]);
  const timestamp = String(NOW / 1000);
  expect(headers).toMatchObject({ "webhook-id": "id-1", "webhook-timestamp": timestamp });
  const signed = createHmac("sha256", key).update(`id-1.${timestamp}.${delivery.body}`).digest("base64");
  expect(headers["webhook-signature"]).toBe(`v1,${signed}`);
});

test("3.4: an error, a redirect, silence and nobody at all are no delivery", async () => {
  for (const status of [500, 404, 302]) {
    const url = await receiver((_request, response) => {
      response.writeHead(status, { location: "http://127.0.0.1:1/" }).end();
    });
    expect(await sender()(deliveryTo(url))).toBe(`the receiver answered with status ${status}`);
  }
  const silent = await receiver(() => undefined);
  expect(await sender({ timeoutMs: 50 })(deliveryTo(silent))).toMatch(/did not answer within 50 ms/);
  expect(await sender()(deliveryTo("http://127.0.0.1:1/"))).toMatch(/ECONNREFUSED/);
});

test("3.4: loopback and private addresses are refused unless allowed, by number and by name", async () => {
  let calls = 0;
  const url = await receiver((_request, response) => {
    calls += 1;
    response.end();
  });
  for (const target of [
    url,
    url.replace("127.0.0.1", "localhost"),
    url.replace("127.0.0.1", "[::ffff:127.0.0.1]"),
  ])
    expect(await sender({ allowPrivate: false })(deliveryTo(target)), target).toMatch(/loopback or private/);
  expect(calls).toBe(0);
  for (const address of [
    "10.1.2.3",
    "172.31.0.1",
    "169.254.169.254",
    "0.0.0.0",
    "::1",
    "fe80::1",
    "fd00::1",
    "64:ff9b::a00:1",
    "2002:7f00:1::",
  ])
    expect(isPrivate(address), address).toBe(true);
  for (const address of ["1.1.1.1", "172.32.0.1", "2606:4700::1111"])
    expect(isPrivate(address), address).toBe(false);
});

test("3.4: what is not taken is tried again with growing pauses under the same id, and given up in the end", async () => {
  let nowMs = NOW;
  const { webhooks, tables } = createMemoryStore({ nowMs: () => nowMs });
  const webhook = {
    id: "w",
    url: "https://hooks.example/",
    events: ["waiting"] as const,
    flow: null,
    secret: "whsec_eA==",
  };
  await webhooks.create(webhook, { actor: "someone", remote: "" });
  tables.deliveries.set("d", {
    ...{ id: "d", webhookId: "w", runId: "r", event: "waiting", body: "{}", status: "pending", attempts: 0 },
    ...{ nextMs: NOW, lease: null, lastError: null, createdMs: NOW, finishedMs: null },
  });
  const tries: (readonly [string, number])[] = [];
  const send = async ({ id }: DueDelivery) => {
    tries.push([id, nowMs]);
    return "status 500";
  };
  const deps = { webhooks, send, newId: () => `lease-${tries.length}` };
  const row = () => tables.deliveries.get("d")!;
  for (; row().status === "pending" && tries.length < 50; nowMs = row().nextMs)
    expect(await sendDueDeliveries(deps, { leaseMs: 30_000, limit: 8 })).toBe(true);
  expect(row()).toMatchObject({ status: "given_up", attempts: 12, lastError: "status 500" });
  expect(new Set(tries.map(([id]) => id))).toEqual(new Set(["d"]));
  const pauses = tries.slice(1).map(([, at], i) => (at - tries[i]![1]) / 1000);
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600]);
  expect(await sendDueDeliveries(deps, { leaseMs: 30_000, limit: 8 })).toBe(false);
});
