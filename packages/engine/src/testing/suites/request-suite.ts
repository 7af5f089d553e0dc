import { describe } from "vitest";
import { sharedStore } from "./harness.ts";
import type { MakeStore } from "./harness.ts";
import { cancelTests } from "./request-cancel.ts";
import { keptResumeTests } from "./request-kept.ts";
import { removalTests } from "./request-delete.ts";
import { flowTests } from "./request-flows.ts";
import { forkTests } from "./request-fork.ts";
import { resetTests } from "./request-reset.ts";
import { resumeTests } from "./request-resume.ts";
import { startTests } from "./request-start.ts";

/** Registers the tests every `RequestStore` must pass; `name` tells the stores apart. */
export function requestStoreSuite(name: string, makeStore: MakeStore): void {
  describe(`request store: ${name}`, () => {
    const get = sharedStore(makeStore);
    flowTests(get);
    startTests(get);
    forkTests(get);
    resumeTests(get);
    keptResumeTests(get);
    cancelTests(get);
    resetTests(get);
    removalTests(get);
  });
}
