import { describe, expect, test } from "vitest";
import {
  caller,
  cancelled,
  checkpointOf,
  claimed,
  claimedRun,
  commitOf,
  committed,
  digestOf,
  entryOf,
  exactTexts,
  flowVersionOf,
  leaseMs,
  loopPath,
  maxAttempts,
  newId,
  parked,
  resumeOf,
  started,
  wakeIn,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";

/** Resuming parked runs (L-39 to L-41). */
export function resumeTests(get: GetStore): void {
  const resume = (...given: Parameters<typeof resumeOf>) => get().requests.resumeRun(resumeOf(...given));

  describe("resuming a run", () => {
    test("L-39, AC-47: a resumed run goes on at its next iteration with its state, history and elapsed time", async () => {
      const { runId, token } = await parked(get());
      const before = await get().work.checkpoint(runId, loopPath);
      const outcome = await resume(runId);
      expect(outcome).toEqual({ kind: "resumed", wake: { runId, token: expect.any(Number), delayMs: 0 } });
      const wake = wakeIn(outcome);
      expect(wake.token).toBeGreaterThan(token);
      expect((await get().reads.run(runId))?.status).toBe("queued");
      expect(await claimed(get(), wake)).toMatchObject({
        attempt: 1,
        priorMs: 0,
        loop: loopPath,
        nextIteration: 2,
        fresh: true,
        resumePayload: null,
      });
      expect(await get().work.checkpoint(runId, loopPath)).toEqual(before);
      expect(await get().work.history(runId, loopPath, 0)).toEqual([entryOf(1, { decision: "wait" })]);
      expect((await get().events(runId)).map((event) => event.type)).toEqual(["run-resumed"]);
    });

    test("S-9: a resumed run whose wake was lost is found by the sweep", async () => {
      const { runId } = await parked(get());
      const wake = wakeIn(await resume(runId));
      await get().clockForward(5_000);
      expect(await get().work.sweep(10_000)).toContainEqual({ runId, token: wake.token, delayMs: 0 });
    });

    test("A6, S-9: a run that stands still although it was woken is woken by another job, seldom", async () => {
      const { runId } = await parked(get());
      await resume(runId);
      const numbers: unknown[] = [];
      for (let tens = 1; tens <= 25; tens += 1) {
        await get().clockForward(11_000);
        const found = await get().work.sweep(10_000);
        numbers.push(found.find((wake) => wake.runId === runId)?.again ?? 0);
      }
      expect(numbers.join("")).toBe("0000011111222222222223333");
    });

    test.each(exactTexts)(
      "L-40, L-46: a payload with %s is seen by every attempt of the next iteration and gone after it",
      async (_what, payload) => {
        const { runId } = await parked(get());
        const first = await claimed(get(), wakeIn(await resume(runId, { payload })));
        expect(first.resumePayload).toBe(payload);
        await get().clockForward(leaseMs + 1_000);
        const second = await claimed(get(), first, "worker-2");
        expect(second.resumePayload).toBe(payload);
        const wake = await get().work.handBack(second, 0, { counted: false, delayMs: 0 });
        const third = await claimed(get(), wake!, "worker-3");
        expect(third.resumePayload).toBe(payload);
        const next = await claimed(get(), { runId, token: await committed(get(), commitOf(third, 2)) });
        expect(next.resumePayload).toBeNull();
      },
    );

    test("L-40, S-22: the payload stays in the audit row, and in no state, history or event", async () => {
      const { runId } = await parked(get());
      const payload = '{"secret":"MARK-40"}';
      const claim = await claimed(get(), wakeIn(await resume(runId, { payload })));
      await committed(get(), commitOf(claim, 2));
      expect(await get().audits(runId)).toEqual([{ action: "resume", ...caller, payload }]);
      const elsewhere = [
        await get().reads.run(runId),
        await get().work.history(runId, loopPath, 0),
        await get().work.checkpoint(runId, loopPath),
        await get().events(runId),
      ];
      expect(JSON.stringify(elsewhere)).not.toContain("MARK-40");
    });

    test("P-25: each resume brings its own payload, and none brings none", async () => {
      const { runId } = await parked(get());
      let wake = wakeIn(await resume(runId, { payload: '"A"' }));
      for (const [iteration, payload] of [
        [2, '"A"'],
        [3, '"B"'],
        [4, null],
      ] as const) {
        const claim = await claimed(get(), wake);
        expect(claim.resumePayload).toBe(payload);
        const checkpoint = checkpointOf({
          status: "waiting",
          nextIteration: iteration + 1,
          decision: "wait",
        });
        await committed(
          get(),
          commitOf(claim, iteration, {
            checkpoint,
            entry: entryOf(iteration, { decision: "wait" }),
            run: { status: "waiting" },
          }),
        );
        wake = wakeIn(await resume(runId, { payload: iteration === 2 ? '"B"' : null }));
      }
    });

    test("L-41: new inputs and a newer version take the place of the run's", async () => {
      const { runId } = await parked(get());
      const head = await get().requests.runHead(runId);
      const newer = flowVersionOf({ flow: head!.flow });
      expect(await get().requests.registerFlow(newer)).toEqual({ kind: "created", version: 2 });
      const inputs = '{"initial":{"n":10}}';
      const claim = await claimed(
        get(),
        wakeIn(await resume(runId, { inputs, flowVersion: { id: newer.id, version: 2 } })),
      );
      expect(claim).toMatchObject({ inputs, flowVersionId: newer.id });
      expect(await get().requests.runHead(runId)).toMatchObject({
        inputs,
        version: 2,
        flowVersionId: newer.id,
      });
    });

    test("P-19, AC-57: of 20 resumes at once one wins and the rest change nothing", async () => {
      const { runId } = await parked(get());
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          resume(runId, { payload: `${i}`, nextIteration: 2, idempotencyKey: `k${i}` }),
        ),
      );
      const winners = outcomes.flatMap((outcome, i) =>
        outcome.kind === "resumed" ? [{ outcome, payload: `${i}` }] : [],
      );
      expect(winners).toHaveLength(1);
      const losers = outcomes.filter((outcome) => outcome.kind === "not_waiting");
      expect(losers).toHaveLength(19);
      expect(losers).toContainEqual({ kind: "not_waiting", status: "queued", nextIteration: 2 });
      expect((await claimed(get(), wakeIn(winners[0]!.outcome))).resumePayload).toBe(winners[0]!.payload);
      expect(await get().audits(runId)).toHaveLength(1);
      expect(await get().events(runId)).toHaveLength(1);
    });

    test("P-19: a resume that names another iteration than the run's next is refused, also after the run parked again", async () => {
      const { runId } = await parked(get());
      const refused = { kind: "other_iteration", status: "waiting", nextIteration: 2 };
      for (const nextIteration of [1, 3]) expect(await resume(runId, { nextIteration })).toEqual(refused);
      const claim = await claimed(get(), wakeIn(await resume(runId, { nextIteration: 2 })));
      const checkpoint = checkpointOf({ status: "waiting", nextIteration: 3, decision: "wait" });
      await committed(
        get(),
        commitOf(claim, 2, {
          checkpoint,
          entry: entryOf(2, { decision: "wait" }),
          run: { status: "waiting" },
        }),
      );
      expect(await resume(runId, { nextIteration: 2 })).toEqual({ ...refused, nextIteration: 3 });
      expect(await get().audits(runId)).toHaveLength(1);
      expect(await resume(runId, { nextIteration: 3 })).toMatchObject({ kind: "resumed" });
    });

    test("3.4: a repeated Idempotency-Key is answered as before, whatever became of the run since", async () => {
      const { runId } = await parked(get());
      const given = { payload: '"once"', idempotencyKey: "key" };
      const claim = await claimed(get(), wakeIn(await resume(runId, given)));
      expect(await resume(runId, given)).toEqual({ kind: "repeated" });
      expect(await resume(runId, { ...given, requestDigest: digestOf("other") })).toEqual({
        kind: "key_conflict",
      });
      const checkpoint = checkpointOf({ status: "waiting", nextIteration: 3, decision: "wait" });
      await committed(
        get(),
        commitOf(claim, 2, {
          checkpoint,
          entry: entryOf(2, { decision: "wait" }),
          run: { status: "waiting" },
        }),
      );
      expect(await resume(runId, given)).toEqual({ kind: "repeated" });
      expect((await get().reads.run(runId))?.status).toBe("waiting");
      await get().requests.cancelRun(runId, caller, cancelled);
      expect(await resume(runId, given)).toEqual({ kind: "repeated" });
    });

    test("3.4: of 10 resumes with one Idempotency-Key at once one resumes and the rest are repeats", async () => {
      const { runId } = await parked(get());
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => resume(runId, { idempotencyKey: "key" })),
      );
      expect(outcomes.map((outcome) => outcome.kind).sort()).toEqual([
        ...Array.from({ length: 9 }, () => "repeated"),
        "resumed",
      ]);
    });

    test("3.4: the same Idempotency-Key on another run is another request", async () => {
      const [one, two] = [await parked(get()), await parked(get())];
      expect(await resume(one.runId, { idempotencyKey: "key" })).toMatchObject({ kind: "resumed" });
      expect(await resume(two.runId, { idempotencyKey: "key" })).toMatchObject({ kind: "resumed" });
    });

    test("P-21, AC-58: a run that is not waiting is not resumed, and its status is told", async () => {
      const queued = await started(get());
      expect(await resume(queued.runId, { nextIteration: 5 })).toEqual({
        kind: "not_waiting",
        status: "queued",
        nextIteration: 1,
      });
      const running = await claimedRun(get());
      expect(await resume(running.runId, { idempotencyKey: "key" })).toEqual({
        kind: "not_waiting",
        status: "running",
        nextIteration: 1,
      });
      expect(await get().work.heartbeat([{ ...running, activeMs: 0 }], leaseMs)).toEqual(
        new Set([running.runId]),
      );
      expect(await get().events(running.runId)).toEqual([]);
      expect(await get().audits(running.runId)).toEqual([]);
      expect(await resume(newId())).toEqual({ kind: "not_found" });
    });

    test("P-17: a late wake from before the resume is stale", async () => {
      const { runId, token } = await parked(get());
      await resume(runId);
      expect(await get().work.claim({ runId, token }, "worker-1", leaseMs, maxAttempts)).toEqual({
        kind: "stale",
      });
    });
  });
}
