import { describe, expect, test } from "vitest";
import {
  caller,
  cancelled,
  checkpointOf,
  claimed,
  claimedLoop,
  commitOf,
  committed,
  digestOf,
  entryOf,
  flowVersionOf,
  newId,
  parked,
  resumeOf,
  started,
  wakeIn,
} from "./fixtures.ts";
import type { Fence } from "../../ports/work.ts";
import type { GetStore } from "./harness.ts";

const buffered = { keep: { buffer: true, until: null } };
const at = (until: string) => ({ keep: { buffer: false, until } });
/** Later and earlier than any clock of a test. */
const FAR = "2999-01-01T00:00:00.000Z";
const FARTHER = "2999-06-01T00:00:00.000Z";
const PAST = "2000-01-01T00:00:00.000Z";

/** A time, however many digits a store gives its seconds. */
const time = (iso: string): unknown => expect.stringMatching(`^${iso.slice(0, 19)}\\.0{3,6}Z$`);

/** Resumes that are kept: for the next wait, or for a time (3.4). */
export function keptResumeTests(get: GetStore): void {
  const resume = (...given: Parameters<typeof resumeOf>) => get().requests.resumeRun(resumeOf(...given));
  const view = async (runId: string) => (await get().reads.run(runId))!;
  const types = async (runId: string) => (await get().events(runId)).map(({ type }) => type);
  const park = (fence: Fence, iteration = 1) =>
    committed(
      get(),
      commitOf(fence, iteration, {
        checkpoint: checkpointOf({ status: "waiting", nextIteration: iteration + 1, decision: "wait" }),
        entry: entryOf(iteration, { decision: "wait" }),
        run: { status: "waiting" },
      }),
    );

  describe("a resume before the wait", () => {
    test("3.4, P-17: it is kept, and the commit that would park the run carries it on with the payload instead", async () => {
      const claim = await claimedLoop(get());
      const { runId } = claim;
      expect(await resume(runId, { ...buffered, payload: '"early"' })).toEqual({ kind: "kept" });
      expect(await view(runId)).toMatchObject({
        status: "running",
        dueAt: null,
        keptResume: { until: null, nextIteration: null, actor: caller.actor, keptAt: expect.any(String) },
      });
      expect(await get().work.wakeOfKeptResume(runId)).toBeNull();
      await park(claim);
      expect(await view(runId)).toMatchObject({ status: "queued", keptResume: null });
      const wake = await get().work.wakeOfKeptResume(runId);
      expect(await claimed(get(), wake!)).toMatchObject({
        ...{ resumePayload: '"early"', nextIteration: 2, attempt: 1, fresh: true },
      });
      expect(await types(runId)).toEqual(["resume-kept", "run-resumed"]);
      expect(await get().audits(runId)).toEqual([{ action: "resume", ...caller, payload: '"early"' }]);
    });

    test("3.4: it is given once: the wait after it parks the run", async () => {
      const claim = await claimedLoop(get());
      await resume(claim.runId, buffered);
      await park(claim);
      const wake = await get().work.wakeOfKeptResume(claim.runId);
      await park(await claimed(get(), wake!), 2);
      expect((await view(claim.runId)).status).toBe("waiting");
      expect(await get().work.wakeOfKeptResume(claim.runId)).toBeNull();
    });

    test("S-9: a run that met its resume while nobody woke it is found by the sweep", async () => {
      const claim = await claimedLoop(get());
      await resume(claim.runId, buffered);
      await park(claim);
      await get().clockForward(5000);
      const found = await get().work.sweep(10_000);
      expect(found).toContainEqual(await get().work.wakeOfKeptResume(claim.runId));
    });

    test("P-19: of 20 at once one is kept, and the other 19 are told so", async () => {
      const { runId } = await started(get());
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, i) => resume(runId, { ...buffered, payload: `${i}` })),
      );
      expect(outcomes.filter(({ kind }) => kind === "kept")).toHaveLength(1);
      const refused = { kind: "kept_already", status: "queued", nextIteration: 1 };
      expect(outcomes.filter(({ kind }) => kind === "kept_already")).toEqual(
        Array.from({ length: 19 }, () => refused),
      );
      expect(await get().audits(runId)).toHaveLength(1);
    });

    test("3.4: the same Idempotency-Key again is the same resume, before and after it counted", async () => {
      const claim = await claimedLoop(get());
      const given = { ...buffered, idempotencyKey: "early" };
      expect(await resume(claim.runId, given)).toEqual({ kind: "kept" });
      expect(await resume(claim.runId, given)).toEqual({ kind: "repeated" });
      expect(await resume(claim.runId, { ...given, requestDigest: digestOf("other") })).toEqual({
        kind: "key_conflict",
      });
      await park(claim);
      expect(await resume(claim.runId, given)).toEqual({ kind: "repeated" });
      expect(await get().events(claim.runId)).toHaveLength(2);
    });

    test("3.4: on a waiting run it counts at once, on one that has ended never", async () => {
      const { runId } = await parked(get());
      expect(await resume(runId, buffered)).toMatchObject({ kind: "resumed" });
      await get().requests.cancelRun(runId, caller, cancelled);
      expect(await resume(runId, buffered)).toMatchObject({ kind: "not_waiting", status: "cancelled" });
      expect(await resume(newId(), buffered)).toEqual({ kind: "not_found" });
    });

    test("P-19: one that names an iteration passes by the waits before another one", async () => {
      const claim = await claimedLoop(get());
      const { runId } = claim;
      await resume(runId, { ...buffered, nextIteration: 3, payload: "3" });
      await park(claim);
      expect(await view(runId)).toMatchObject({ status: "waiting", keptResume: { nextIteration: 3 } });
      await park(await claimed(get(), wakeIn(await resume(runId, { payload: "2" }))), 2);
      const wake = await get().work.wakeOfKeptResume(runId);
      expect(await claimed(get(), wake!)).toMatchObject({ resumePayload: "3", nextIteration: 3 });
    });

    test("L-41: it brings new inputs and a newer version", async () => {
      const claim = await claimedLoop(get());
      const head = await get().requests.runHead(claim.runId);
      const newer = flowVersionOf({ flow: head!.flow });
      await get().requests.registerFlow(newer);
      const inputs = '{"n":2}';
      await resume(claim.runId, { ...buffered, inputs, flowVersion: { id: newer.id, version: 2 } });
      expect(await get().requests.runHead(claim.runId)).toMatchObject({ inputs: "{}", version: 1 });
      await park(claim);
      expect(await get().requests.runHead(claim.runId)).toMatchObject({ inputs, version: 2 });
    });

    test("L-33: it goes with the end of its run, however it ends", async () => {
      const first = await started(get());
      await resume(first.runId, buffered);
      await get().requests.cancelRun(first.runId, caller, cancelled);
      const claim = await claimedLoop(get());
      await resume(claim.runId, buffered);
      await get().work.finishRun(claim, { status: "succeeded" }, []);
      for (const { runId } of [first, claim]) expect((await view(runId)).keptResume).toBeNull();
    });
  });

  describe("a resume at a time", () => {
    test("3.4, S-12: the run stays parked and shows when it goes on by itself", async () => {
      const { runId } = await parked(get());
      expect(await resume(runId, at(FAR))).toEqual({ kind: "kept" });
      expect(await view(runId)).toMatchObject({
        ...{ status: "waiting", dueAt: time(FAR), keptResume: { until: time(FAR) } },
      });
      expect(await get().reads.standing(runId)).toMatchObject({ status: "waiting", dueAt: time(FAR) });
      const swept = await get().work.sweep(10_000);
      expect(swept.filter((wake) => wake.runId === runId)).toEqual([]);
    });

    test("3.4: an explicit resume before it wins, and nothing is left for later", async () => {
      const { runId } = await parked(get());
      await resume(runId, { ...at(FAR), payload: '"late"' });
      const claim = await claimed(get(), wakeIn(await resume(runId, { payload: '"now"' })));
      expect(claim.resumePayload).toBe('"now"');
      expect(await view(runId)).toMatchObject({ dueAt: null, keptResume: null });
      await park(claim, 2);
      expect(await view(runId)).toMatchObject({ status: "waiting", dueAt: null });
    });

    test("3.4: another time takes the place of the one before", async () => {
      const { runId } = await parked(get());
      await resume(runId, at(FAR));
      expect(await resume(runId, { ...at(FARTHER), payload: "2" })).toEqual({ kind: "kept" });
      expect(await view(runId)).toMatchObject({ dueAt: time(FARTHER), keptResume: { until: time(FARTHER) } });
    });

    test("3.4: a time that has passed is now", async () => {
      const { runId } = await parked(get());
      expect(await resume(runId, at(PAST))).toMatchObject({ kind: "resumed" });
    });

    test("3.4: without `buffer` only a waiting run takes one", async () => {
      const { runId } = await started(get());
      expect(await resume(runId, at(FAR))).toMatchObject({ kind: "not_waiting", status: "queued" });
    });

    test("3.4: before the wait it is kept with its time, and the run parks until then", async () => {
      const claim = await claimedLoop(get());
      await resume(claim.runId, { keep: { buffer: true, until: FAR } });
      expect(await view(claim.runId)).toMatchObject({ status: "running", dueAt: null });
      await park(claim);
      expect(await view(claim.runId)).toMatchObject({ status: "waiting", dueAt: time(FAR) });
    });

    test("3.4: before the wait, a time that has passed when the run parks carries it on at once", async () => {
      const claim = await claimedLoop(get());
      await resume(claim.runId, { keep: { buffer: true, until: PAST } });
      await park(claim);
      expect((await view(claim.runId)).status).toBe("queued");
    });

    test("S-22: a kept resume can be taken back, which is audited", async () => {
      const { runId } = await parked(get());
      await resume(runId, at(FAR));
      expect(await get().requests.withdrawResume(runId, caller)).toEqual({ kind: "withdrawn" });
      expect(await get().requests.withdrawResume(runId, caller)).toEqual({ kind: "nothing_kept" });
      expect(await get().requests.withdrawResume(newId(), caller)).toEqual({ kind: "not_found" });
      expect(await view(runId)).toMatchObject({ status: "waiting", dueAt: null, keptResume: null });
      expect((await get().audits(runId)).map(({ action }) => action)).toEqual(["resume", "resume_withdraw"]);
      expect(await types(runId)).toEqual(["resume-kept", "resume-withdrawn"]);
    });
  });
}
