import { expect, test } from "vitest";
import { node } from "../testing/build-ir.ts";
import { loopWith, registry } from "../testing/lint-case.ts";
import { plannedLoops } from "./planned-loops.ts";

const wired = loopWith((draft) => {
  draft.node("loop").pins = {};
  draft.ir.nodes["limit"] = node("provide.str", { pins: { value: { text: "7" } } });
  draft.ir.nodes["clock"] = node("provide.text");
  draft.wire("limit.value > loop.maxIterations", "clock.value > loop.timeout");
});
const given = (inputs: Record<string, string>) => new Map(Object.entries(inputs));

test("3.4, L-42: before a loop begins its state and limits are those of the flow and the run's inputs", () => {
  const [loop] = plannedLoops(
    wired,
    registry,
    given({ initial: '{"b":1.0,"a":-0}', limit: "9", clock: '"2m"' }),
  );
  expect(loop).toMatchObject({
    node: "loop",
    state: '{"b":1.0,"a":-0}',
    maxIterations: 9,
    timeoutMs: 120_000,
  });
});

test("L-6, L-8, L-9: what nothing feeds, and a blank value, stand for the defaults", () => {
  const bare = loopWith((draft) => {
    draft.ir.nodes["second"] = node("control.while", { script: "true" });
  });
  const second = plannedLoops(bare, registry, new Map()).find(({ node: id }) => id === "second");
  expect(second).toEqual({
    node: "second",
    label: "second",
    state: "null",
    maxIterations: 20,
    timeoutMs: 1_800_000,
  });
  expect(plannedLoops(wired, registry, new Map())[0]).toMatchObject({
    maxIterations: 7,
    timeoutMs: 1_800_000,
  });
});

test("L-21: what a step produces is not known before it ran", () => {
  const two = loopWith((draft) => {
    draft.ir.nodes["second"] = node("control.while", { script: "true", label: "Second" });
    draft.ir.nodes["third"] = node("control.while", { script: "true" });
    draft.wire("loop.state > second.state", "loop.summary > third.maxIterations", "loop.next > second.prev");
  });
  const loops = plannedLoops(two, registry, new Map());
  expect(loops.map(({ node: id, state }) => [id, state === null])).toEqual([
    ["loop", false],
    ["second", true],
  ]);
});

test("2.7: the value of a secret is never told", () => {
  const secret = loopWith((draft) => {
    draft.ir.nodes["secret"] = node("provide.password", { pins: { value: { text: "hush" } } });
    draft.ir.edges = draft.ir.edges.filter(({ to }) => !(to.node === "loop" && to.slot === "state"));
    draft.wire("secret.value > loop.state");
  });
  expect(plannedLoops(secret, registry, new Map())[0]).toMatchObject({ node: "loop", state: null });
});
