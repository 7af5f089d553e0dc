import { expect, it } from "vitest";
import { queueKinds, type QueueKind } from "../crash/queue-place.ts";
import type { Composed } from "./installation.ts";
import type { Violation } from "./judge.ts";
import type { FaultKind } from "./schedule.ts";
import { storm, type StormReport } from "./storm.ts";

/** Where there is no Redis, both controls run on Postgres. */
const other: QueueKind = queueKinds.at(-1) ?? "postgres";

type Control = {
  readonly queue: QueueKind;
  readonly composed: Composed;
  readonly kinds: readonly FaultKind[];
  readonly stillMs?: number;
};

const LIMIT_MS = 360_000;

/** A short storm over workers put together by the test; it sees what a storm over the product must not see. */
function control(seed: number, given: Control): Promise<StormReport> {
  return storm({ seed, durationMs: 12_000, runs: 20, outageMs: 1000, mix: ["count", "steps"], ...given });
}

/** What the first of three storms that has something to tell has to tell: on a busy machine one may miss every weak moment. */
async function foundIn(given: Omit<Control, "stillMs">): Promise<ReadonlySet<Violation["kind"]>> {
  for (const seed of [7, 8, 9]) {
    // What is broken shows sooner than the product may need to mend itself.
    const { violations } = await control(seed, { ...given, stillMs: 15_000 });
    if (violations.length > 0) return new Set(violations.map(({ kind }) => kind));
  }
  return new Set();
}

it(
  "S-6: without the compare-and-set of the commit, packets that arrive late double iterations, and the storm tells",
  async () => {
    const composed = { sweeps: true, unguarded: true };
    expect([...(await foundIn({ queue: "postgres", composed, kinds: ["stall_worker"] }))]).toContain(
      "doubled",
    );
  },
  LIMIT_MS,
);

it(
  "S-9: without the sweep, runs whose worker died or whose job was lost are stuck, and the storm tells",
  async () => {
    const composed = { sweeps: false, unguarded: false };
    const kinds: readonly FaultKind[] = ["kill_worker", "empty_queue"];
    expect([...(await foundIn({ queue: other, composed, kinds }))]).toContain("stuck");
  },
  LIMIT_MS,
);

it(
  "S-6, S-9: with both, the same storms over the same composition leave nothing to tell",
  async () => {
    const kinds: readonly FaultKind[] = ["stall_worker", "kill_worker", "empty_queue"];
    const composed = { sweeps: true, unguarded: false };
    expect((await control(7, { queue: other, composed, kinds })).violations).toEqual([]);
  },
  LIMIT_MS,
);
