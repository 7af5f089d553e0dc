import { describe } from "vitest";
import { freshStore, sharedStore } from "./harness.ts";
import type { MakeStore } from "./harness.ts";
import { auditReadTests } from "./read-audit.ts";
import { flowReadTests } from "./read-flows.ts";
import { loopReadTests } from "./read-loops.ts";
import { observationTests } from "./read-observed.ts";
import { listTests } from "./read-runs.ts";

/** Registers the tests every `Reads` must pass; `name` tells the stores apart. */
export function readsSuite(name: string, makeStore: MakeStore): void {
  describe(`reads: ${name}`, () => {
    const get = sharedStore(makeStore);
    loopReadTests(get);
    observationTests(get);
  });
  describe(`reads, alone: ${name}`, () => {
    const get = freshStore(makeStore);
    listTests(get);
    auditReadTests(get);
    flowReadTests(get);
  });
}
