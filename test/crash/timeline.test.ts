import { createMemoryStore } from "@agentflow/engine/testing";
import type { KeptStates, Reads } from "@agentflow/engine";
import { expect, test } from "vitest";
import type { Expected } from "./invariants.ts";
import { timelineViolations } from "./timeline.ts";

const expected: Expected = { status: "succeeded", iterations: 1, state: "[0,1]" };

/** Reads of a run with one iteration, with what is kept of it. */
function readsOf(kept: Partial<KeptStates>): Reads {
  const { reads } = createMemoryStore({ nowMs: () => 0 });
  const nothing = { path: '["loop"]', epoch: 0, completed: 1, state: null, steps: new Map(), first: null };
  return { ...reads, keptStates: async () => ({ ...nothing, ...kept }) };
}

test.each([
  ["the initial state is not kept", {}, ["timeline: the state after 0 is not_kept"]],
  ["the last state is another one", { state: "[0,2]" }, ["timeline: ends with [0,2], not [0,1]"]],
] as const)("OP-7: a timeline in which %s is a violation", async (_, kept, found) => {
  expect(await timelineViolations(readsOf(kept), "run", expected)).toEqual(found);
});
