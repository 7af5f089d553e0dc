import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { until } from "../support/until.ts";
import { scriptFlow } from "./flows.ts";
import { Rig } from "./rig.ts";

it("3.4: a delivery of a worker that is killed while it sends comes again, under the same id", async () => {
  const rig = await Rig.open("postgres");
  const got: { id: string; body: string; answer: ServerResponse }[] = [];
  const receiver = createServer(async (request, answer) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    got.push({ id: String(request.headers["webhook-id"]), body, answer });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  rig.onClose(async () => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const { client } = await rig.realApi();
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const { id } = await client.createWebhook({ url, events: ["waiting"] });

  const first = await rig.realWorker({ AGENTFLOW_WEBHOOK_PRIVATE: "1" });
  const runId = await rig.start(scriptFlow({ done: 2, waits: 1 }));
  await until("the first try is under way", async () => got.length === 1);
  await first.kill();
  // In the place of the lease's fifteen seconds.
  await rig.database.query("update webhook_delivery set next_at = now()");
  await rig.realWorker({ AGENTFLOW_WEBHOOK_PRIVATE: "1" });
  await until("it comes again", async () => got.length === 2);
  got[1]!.answer.writeHead(204).end();

  const seen = async () => (await client.listWebhookDeliveries(id)).items;
  await until("it is delivered", async () => (await seen())[0]?.status === "delivered");
  expect(await seen()).toMatchObject([{ id: got[0]!.id, runId, event: "waiting", attempts: 2 }]);
  expect([got[1]!.id, got[1]!.body]).toEqual([got[0]!.id, got[0]!.body]);
  expect(JSON.parse(got[0]!.body)).toMatchObject({ type: "run.waiting", data: { runId, status: "waiting" } });
});
