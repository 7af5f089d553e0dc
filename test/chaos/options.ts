import type { QueueKind } from "../crash/queue-place.ts";

/** What may be asked for on the command line; all of it may be left out. */
export type Given = {
  readonly seed?: number;
  readonly minutes?: number;
  readonly queue?: QueueKind | "both";
  readonly runs?: number;
};

declare module "vitest" {
  interface ProvidedContext {
    /** Options of `pnpm chaos`; nothing when the storm is one of all tests. */
    chaos: Given | undefined;
  }
}

const SHORT_MS = 22_000;
const LONGEST_OUTAGE_MS = 30_000;

/** The short storm, or a long one: longer outages, and load in proportion. */
export function stormOptions({ seed = 1, minutes, queue = "both", runs }: Given) {
  const durationMs = minutes === undefined ? SHORT_MS : Math.round(minutes * 60_000);
  return {
    seed,
    queue,
    durationMs,
    runs: runs ?? Math.ceil(durationMs / 700),
    outageMs: Math.min(LONGEST_OUTAGE_MS, Math.max(2500, Math.round(durationMs / 10))),
  };
}
