import { describe, expect, test } from "vitest";
import type { Claim } from "../../ports/work.ts";
import {
  caller,
  cancelled,
  claimedLoop,
  claimedRun,
  eventsOf,
  leaseMs,
  maxAttempts,
  parentScope,
  resumeOf,
  stepOf,
} from "./fixtures.ts";
import type { GetStore } from "./harness.ts";
import { hardFailure } from "./work-commit.ts";
import { expectRefused } from "./work-lease.ts";

/** Ends of a run, which absorb (L-33). */
export function endTests(get: GetStore): void {
  describe("ending a run", () => {
    test("3.3: a run that succeeded shows its results in the order they came", async () => {
      const claim = await claimedRun(get());
      const outputs = [
        ["zeta", "first"],
        ["alpha", "second\0"],
      ] as const;
      for (const [node, value] of outputs) {
        await get().work.recordStep(
          claim,
          parentScope,
          stepOf(node, { outputs: new Map([["content", value]]), shown: true }),
          [],
        );
      }
      await get().work.recordStep(claim, parentScope, stepOf("hidden"), []);
      expect(await get().work.finishRun(claim, { status: "succeeded" }, eventsOf("run-succeeded"))).toEqual({
        kind: "stored",
      });
      expect(await get().reads.run(claim.runId)).toMatchObject({
        status: "succeeded",
        failure: null,
        leaseOwner: null,
        finishedAt: expect.any(String),
        outputs: outputs.map(([node, value]) => ({ node, value })),
      });
    });

    test("AC-29, P-46: a run that failed keeps its failure exactly", async () => {
      const claim = await claimedRun(get());
      await get().work.finishRun(claim, { status: "failed", failure: hardFailure }, eventsOf("run-failed"));
      const view = await get().reads.run(claim.runId);
      expect(view).toMatchObject({ status: "failed", finishedAt: expect.any(String) });
      expect(view?.failure).toEqual(hardFailure);
    });

    test("S-6: of 10 ends at once one is stored", async () => {
      const claim = await claimedRun(get());
      const ends = Array.from({ length: 10 }, () =>
        get().work.finishRun(claim, { status: "succeeded" }, eventsOf("run-succeeded")),
      );
      const stored = (await Promise.all(ends)).filter((outcome) => outcome.kind === "stored");
      expect(stored).toHaveLength(1);
      expect(await get().events(claim.runId)).toHaveLength(1);
    });
  });

  describe("terminal statuses absorb", () => {
    const ends: readonly (readonly [
      status: string,
      finish: (get: GetStore, claim: Claim) => Promise<unknown>,
    ])[] = [
      ["succeeded", (store, claim) => store().work.finishRun(claim, { status: "succeeded" }, [])],
      [
        "failed",
        (store, claim) => store().work.finishRun(claim, { status: "failed", failure: hardFailure }, []),
      ],
      ["cancelled", (store, claim) => store().requests.cancelRun(claim.runId, caller, cancelled)],
    ];

    test.each(ends)(
      "L-33: nothing changes a run that is %s: no claim, write, resume, cancel or sweep",
      async (status, finish) => {
        const claim = await claimedLoop(get());
        await finish(get, claim);
        const before = { view: await get().reads.run(claim.runId), events: await get().events(claim.runId) };
        expect(before.view?.status).toBe(status);

        await expectRefused(get, claim);
        for (let ahead = 0; ahead <= 2; ahead += 1) {
          const wake = { runId: claim.runId, token: claim.token + ahead };
          expect(await get().work.claim(wake, "worker-2", leaseMs, maxAttempts)).toEqual({ kind: "stale" });
          await expectRefused(get, { ...claim, ...wake });
        }
        expect(await get().requests.resumeRun(resumeOf(claim.runId))).toEqual({
          kind: "not_waiting",
          status,
          nextIteration: 1,
        });
        const cancel = status === "cancelled" ? { kind: "already_cancelled" } : { kind: "ended", status };
        expect(await get().requests.cancelRun(claim.runId, caller, cancelled)).toEqual(cancel);
        expect({ view: await get().reads.run(claim.runId), events: await get().events(claim.runId) }).toEqual(
          before,
        );

        await get().clockForward(3_600_000);
        expect((await get().work.sweep(10_000)).map((wake) => wake.runId)).not.toContain(claim.runId);
        // The clock of the store moves by its times being set back, that of the end too.
        const { finishedAt: _was, updatedAt: _then, ...rest } = before.view ?? {};
        expect(await get().reads.run(claim.runId)).toMatchObject(rest);
      },
    );
  });
}
