import type { FlowName } from "./flows.ts";
import { Random } from "./random.ts";

/** How a parked run is resumed: before it waits (and kept for it), after a while, or by twenty callers at once. */
export type Manner = "early" | "late" | "crowd";

/** One run of the load: when it is started, and what its callers do to it. */
export type PlannedRun = {
  /** Idempotency-Key of its start. */
  readonly key: string;
  readonly flow: FlowName;
  readonly atMs: number;
  /** One per wait of the flow. */
  readonly manners: readonly Manner[];
  /** How long callers wait before they act, ms. */
  readonly hesitationMs: number;
  /** Cancelled while its last iteration is about to end. */
  readonly cancelled: boolean;
};

const MANNERS: readonly Manner[] = ["early", "late", "crowd"];

/** All runs of a storm in order of their start: a pure function of its arguments. Starts end with 85 % of the storm. */
export function load(
  seed: number,
  { runs, durationMs, mix }: { runs: number; durationMs: number; mix: readonly FlowName[] },
): readonly PlannedRun[] {
  const random = new Random(seed, "load");
  return Array.from({ length: runs }, (_, index) => ({
    key: `storm-${seed}-${index}`,
    flow: mix[index % mix.length] ?? "count",
    atMs: Math.round((index / runs) * durationMs * 0.85),
    manners: random.shuffled(MANNERS),
    hesitationMs: random.integer(0, 1200),
    cancelled: random.next() < 0.15,
  }));
}
