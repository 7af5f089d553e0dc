import { expect, it } from "vitest";
import { queueKinds, type QueueKind } from "../crash/queue-place.ts";
import type { Composed } from "./installation.ts";
import type { FaultKind } from "./schedule.ts";
import { storm, type StormReport } from "./storm.ts";

/** Where there is no Redis, both controls run on Postgres. */
const other: QueueKind = queueKinds.at(-1) ?? "postgres";

/** A short storm over workers put together by the test; it sees what a storm over the product must not see. */
function control(
  queue: QueueKind,
  composed: Composed,
  kinds: readonly FaultKind[],
  given: { stillMs?: number } = {},
): Promise<StormReport> {
  const options = { seed: 7, durationMs: 12_000, runs: 16, outageMs: 1000, mix: ["count", "steps"] } as const;
  return storm({ ...options, ...given, queue, composed, kinds });
}

/** What is broken shows sooner than the product may need to mend itself. */
const BROKEN = { stillMs: 15_000 };

it("S-6: without the compare-and-set of the commit, packets that arrive late double iterations, and the storm tells", async () => {
  const report = await control("postgres", { sweeps: true, unguarded: true }, ["stall_worker"], BROKEN);
  expect(report.violations.filter(({ kind }) => kind === "doubled")).not.toEqual([]);
}, 180_000);

it("S-9: without the sweep, runs whose worker died or whose job was lost are stuck, and the storm tells", async () => {
  const report = await control(
    other,
    { sweeps: false, unguarded: false },
    ["kill_worker", "empty_queue"],
    BROKEN,
  );
  expect(report.violations.filter(({ kind }) => kind === "stuck")).not.toEqual([]);
}, 180_000);

it("S-6, S-9: with both, the same storms over the same composition leave nothing to tell", async () => {
  const kinds: readonly FaultKind[] = ["stall_worker", "kill_worker", "empty_queue"];
  const report = await control(other, { sweeps: true, unguarded: false }, kinds);
  expect(report.violations).toEqual([]);
}, 180_000);
