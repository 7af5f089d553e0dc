import { afterEach, expect, it } from "vitest";
import { StoreUnavailable } from "./ports/store-errors.ts";
import type { Observer } from "./ports/observer.ts";
import { Rig, scriptLoop } from "./testing/index.ts";
import type { ScriptedEnd } from "./testing/index.ts";

let rig: Rig;
afterEach(() => rig.close());

/** A rig whose script takes 30 ms and answers these in order, and what its observer was told. */
function observed(...answers: (string | ScriptedEnd)[]): unknown[] {
  const told: unknown[] = [];
  let next = 0;
  rig = new Rig(() => {
    rig.clock.advance(30);
    return answers[next++] ?? "";
  });
  const observer: Observer = {
    claimed: ({ attempt }) => told.push(`claimed ${attempt}`),
    iterated: (iteration) => told.push(iteration),
    ended: ({ flow, status, code }) => told.push(`${flow} ${status} ${code}`),
    violated: (kind) => told.push(kind),
  };
  Object.assign(rig.advanceDeps, { observer });
  return told;
}

const seen = { flow: "flow", workMs: 30, attempt: 1, resumed: false, nested: false };

it("S-25: the observer is told of each claim, each stored iteration and the end", async () => {
  const told = observed(
    '{"decision":"continue","state":{"n":1}}',
    '{"decision":"wait"}',
    '{"decision":"done"}',
  );
  const runId = await rig.runFlow(scriptLoop());
  await rig.resume(runId);
  await rig.drain();
  expect(told.filter((one) => typeof one !== "string")).toMatchObject([
    { ...seen, decision: "continue" },
    { ...seen, decision: "wait" },
    { ...seen, decision: "done", resumed: true },
  ]);
  expect(told.at(-1)).toBe("flow succeeded ");
  expect(told.filter((one) => one === "claimed 1").length).toBeGreaterThanOrEqual(3);
});

it("S-25: a run that its loop fails is told with its code, and nothing of it twice", async () => {
  const told = observed('{"decision":"fail"}');
  await rig.runFlow(scriptLoop());
  expect(told.filter((one) => typeof one === "string" && one.startsWith("flow "))).toEqual([
    "flow failed loop_failed",
  ]);
});

it("S-25, A17: an error nobody expected is a violation, an outage is none", async () => {
  const told = observed('{"decision":"done"}', '{"decision":"done"}', '{"decision":"done"}');
  const { commitIteration } = rig.store.work;
  const failing = (error: Error) => () => {
    Object.assign(rig.store.work, { commitIteration });
    throw error;
  };
  await rig.register(scriptLoop());
  await rig.start();
  Object.assign(rig.store.work, { commitIteration: failing(new StoreUnavailable("away")) });
  await expect(rig.drain()).rejects.toThrow("away");
  expect(told).not.toContain("unexpected_error");
  Object.assign(rig.store.work, { commitIteration: failing(new Error("a fault")) });
  await expect(rig.settle()).rejects.toThrow("a fault");
  expect(told.filter((one) => one === "unexpected_error")).toHaveLength(1);
});
