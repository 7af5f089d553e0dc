import { describe, expect, test } from "vitest";
import type { WebhookEvent } from "../../ports/webhooks.ts";
import { webhookEvents } from "../../ports/webhooks.ts";
import {
  caller,
  cancelled,
  checkpointOf,
  claimedLoop,
  commitOf,
  committed,
  entryOf,
  newId,
  parked,
  resumeOf,
  started,
} from "./fixtures.ts";
import { freshStore } from "./harness.ts";
import type { MakeStore } from "./harness.ts";

const LEASE_MS = 30_000;
const DAY_MS = 86_400_000;

/** Registers the tests every `WebhookStore` must pass; `name` tells the stores apart. */
export function webhookStoreSuite(name: string, makeStore: MakeStore): void {
  describe(`webhooks: ${name}`, () => {
    const get = freshStore(makeStore);
    const create = async (events: readonly WebhookEvent[] = webhookEvents, flow: string | null = null) => {
      const webhook = {
        id: newId(),
        url: "https://hooks.example/in",
        events,
        flow,
        secret: "whsec_c2VjcmV0",
      };
      await get().webhooks.create(webhook, caller);
      return webhook;
    };
    const take = (lease: string, limit = 10) => get().webhooks.take(lease, LEASE_MS, limit);
    const shown = async (id: string) => {
      const page = await get().webhooks.deliveries(id, { limit: 100 });
      if (typeof page === "string") throw new Error(page);
      return page.items;
    };
    const cancel = async () => {
      const { runId } = await started(get());
      await get().requests.cancelRun(runId, caller, cancelled);
      return runId;
    };

    test("S-22: an address is listed without its secret, and removed with its deliveries; both are audited", async () => {
      const { secret: _secret, ...webhook } = await create(["failed"], "nightly");
      expect(await get().webhooks.list()).toEqual([
        { ...webhook, actor: caller.actor, createdAt: expect.any(String) },
      ]);
      expect(await get().webhooks.remove(webhook.id, caller)).toBe(true);
      expect(await get().webhooks.remove(webhook.id, caller)).toBe(false);
      expect(await get().webhooks.list()).toEqual([]);
      expect(await get().webhooks.deliveries(webhook.id, { limit: 1 })).toBe("not_found");
      expect(await get().audits(null)).toEqual(
        ["webhook_create", "webhook_delete"].map((action) => ({ action, ...caller, payload: null })),
      );
    });

    test("3.4: what parks or ends is told with the change, to those who asked for it, with ids and no state", async () => {
      const { id } = await create();
      await create(["succeeded"]);
      await create(webhookEvents, "another-flow");
      const { runId } = await parked(get());
      const [waiting, ...others] = await take("a");
      expect(others).toEqual([]);
      expect(waiting).toMatchObject({
        url: "https://hooks.example/in",
        secret: "whsec_c2VjcmV0",
        attempts: 1,
      });
      const { flow, nextIteration } = (await get().requests.runHead(runId))!;
      expect(JSON.parse(waiting!.body)).toEqual({
        type: "run.waiting",
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        data: { runId, flow, version: 1, status: "waiting", nextIteration, failureCode: null },
      });
      await get().requests.cancelRun(runId, caller, cancelled);
      const [ended] = await take("b");
      expect(JSON.parse(ended!.body)).toMatchObject({
        ...{ type: "run.cancelled", data: { runId, status: "cancelled", failureCode: "run_cancelled" } },
      });
      expect((await shown(id)).map(({ event }) => event).toSorted()).toEqual(["cancelled", "waiting"]);
    });

    test("3.4: what goes on is not told", async () => {
      await create();
      const { runId } = await parked(get());
      expect(await take("a")).toHaveLength(1);
      await get().requests.resumeRun(resumeOf(runId));
      expect(await take("b")).toEqual([]);
    });

    test("3.4, P-17: a run that meets a kept resume does not wait, and nobody is told", async () => {
      await create();
      const claim = await claimedLoop(get());
      const early = resumeOf(claim.runId, { keep: { buffer: true, until: null } });
      expect(await get().requests.resumeRun(early)).toEqual({ kind: "kept" });
      await committed(
        get(),
        commitOf(claim, 1, {
          checkpoint: checkpointOf({ status: "waiting", nextIteration: 2, decision: "wait" }),
          entry: entryOf(1, { decision: "wait" }),
          run: { status: "waiting" },
        }),
      );
      expect((await get().reads.run(claim.runId))?.status).toBe("queued");
      expect(await take("a")).toEqual([]);
    });

    test("3.4: a delivery is one process's until its lease ends, then another's, under the same id", async () => {
      await create();
      await cancel();
      const [dead] = await take("dead");
      expect(await take("other")).toEqual([]);
      await get().clockForward(LEASE_MS + 1000);
      const [again] = await take("other");
      expect(again).toEqual({ ...dead, lease: "other", attempts: 2 });
      expect(await get().webhooks.note(dead!, { kind: "delivered" })).toBe(false);
      expect(await get().webhooks.note(again!, { kind: "delivered" })).toBe(true);
      await get().clockForward(DAY_MS);
      expect(await take("late")).toEqual([]);
    });

    test("3.4: processes that come at once take different deliveries", async () => {
      await create();
      for (let i = 0; i < 4; i += 1) await cancel();
      const taken = await Promise.all(["a", "b", "c"].map((lease) => take(lease, 2)));
      const ids = taken.flat().map(({ id }) => id);
      ids.push(...(await take("d")).map(({ id }) => id));
      expect(new Set(ids).size).toBe(4);
      expect(ids).toHaveLength(4);
    });

    test("3.4: a try that failed is tried again when its pause is over; the last one is given up, for all to see", async () => {
      const { id } = await create();
      const runId = await cancel();
      const [first] = await take("a");
      await get().webhooks.note(first!, { kind: "failed", error: "status 500", retryMs: 60_000 });
      expect(await shown(id)).toMatchObject([
        { runId, status: "pending", attempts: 1, lastError: "status 500", nextAt: expect.any(String) },
      ]);
      await get().clockForward(59_000);
      expect(await take("b")).toEqual([]);
      await get().clockForward(2000);
      const [second] = await take("b");
      await get().webhooks.note(second!, { kind: "failed", error: "status 404", retryMs: null });
      expect(await shown(id)).toMatchObject([
        { status: "given_up", attempts: 2, lastError: "status 404", nextAt: null },
      ]);
      await get().clockForward(DAY_MS);
      expect(await take("c")).toEqual([]);
    });

    test("3.4, S-22: what was given up is sent anew under its id when somebody asks", async () => {
      const { id } = await create();
      const runId = await cancel();
      const [first] = await take("a");
      await get().webhooks.note(first!, { kind: "failed", error: "no", retryMs: null });
      expect(await get().webhooks.redeliver(id, first!.id, caller)).toBe(true);
      expect(await take("b")).toMatchObject([{ id: first!.id, body: first!.body, attempts: 1 }]);
      expect(await get().webhooks.redeliver(newId(), first!.id, caller)).toBe(false);
      expect(await get().webhooks.redeliver(id, newId(), caller)).toBe(false);
      const acts = (await get().audits(runId)).map(({ action }) => action);
      expect(acts).toEqual(["cancel", "webhook_redeliver"]);
    });

    test("S-26: deliveries that ended a week ago are removed in passing", async () => {
      const { id } = await create();
      await cancel();
      await get().webhooks.note((await take("a"))[0]!, { kind: "delivered" });
      await get().clockForward(8 * DAY_MS);
      const runId = await cancel();
      expect(await shown(id)).toHaveLength(2);
      await get().webhooks.note((await take("b"))[0]!, { kind: "delivered" });
      expect((await shown(id)).map((one) => one.runId)).toEqual([runId]);
    });
  });
}
