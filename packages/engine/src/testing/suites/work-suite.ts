import { describe } from "vitest";
import { freshStore, sharedStore } from "./harness.ts";
import type { MakeStore } from "./harness.ts";
import { claimTests } from "./work-claim.ts";
import { commitTests } from "./work-commit.ts";
import { endTests } from "./work-end.ts";
import { eventTests } from "./work-events.ts";
import { leaseTests } from "./work-lease.ts";
import { limitTests } from "./work-limits.ts";
import { loopTests } from "./work-loop.ts";
import { nestedTests } from "./work-nested.ts";
import { pauseTests } from "./work-pause.ts";
import { resourceTests } from "./work-resources.ts";
import { stepTests } from "./work-steps.ts";
import { sweepTests } from "./work-sweep.ts";
import { timelineTests } from "./work-timeline.ts";

/** Registers the tests every `WorkStore` must pass; `name` tells the stores apart. */
export function workStoreSuite(name: string, makeStore: MakeStore): void {
  describe(`work store: ${name}`, () => {
    const get = sharedStore(makeStore);
    claimTests(get);
    leaseTests(get);
    stepTests(get);
    loopTests(get);
    commitTests(get);
    nestedTests(get);
    endTests(get);
    eventTests(get);
    resourceTests(get);
    limitTests(get);
    timelineTests(get);
  });
  describe(`work store, alone: ${name}`, () => {
    sweepTests(freshStore(makeStore));
    pauseTests(freshStore(makeStore));
  });
}
