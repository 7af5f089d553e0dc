import { describe, expect, test } from "vitest";
import { node } from "../testing/flows.ts";
import { child, counting, repeatLoop, runToRest } from "../testing/repeat-flow.ts";
import type { Seen } from "../testing/repeat-flow.ts";
import type { CommandScript } from "../testing/scripted-runner.ts";

test("R-1, R-4, R-6: a child runs until it says done; its last outputs go out without those that begin with _", async () => {
  const { story } = await runToRest(repeatLoop());
  expect(story).toMatchObject({
    status: "succeeded",
    decisions: ["continue", "continue", "done"],
    state: '{"count":3}',
    outputs: [{ node: "after", value: '{"repeat_next_state":{"count":3},"repeat_done":true,"note":"3"}' }],
  });
});

test("R-6: every output of the repeat goes by its outputKey", async () => {
  const slots = ["sum_state", "sum_iterations", "sum_completed", "sum_flow"];
  const ir = repeatLoop({ outputKey: "sum" });
  for (const slot of slots) {
    ir.nodes[`show_${slot}`] = node("display.code");
    ir.edges.push({ from: { node: "loop", slot: "next" }, to: { node: `show_${slot}`, slot: "prev" } });
    ir.edges.push({ from: { node: "loop", slot }, to: { node: `show_${slot}`, slot: "content" } });
  }
  const { story } = await runToRest(ir);
  expect(Object.fromEntries(story.outputs.map(({ node: id, value }) => [id, value]))).toMatchObject({
    show_sum_state: '{"count":3}',
    show_sum_iterations: "3",
    show_sum_completed: "true",
    show_sum_flow: "child",
  });
});

test("R-1: it runs at least once, and a state that was never set is null", async () => {
  const seen: Seen[] = [];
  const { story } = await runToRest(
    repeatLoop(),
    child(() => ({ next: null, done: true }), seen),
  );
  expect(story).toMatchObject({ status: "succeeded", decisions: ["done"], state: "null" });
  expect(seen).toEqual([{ state: null, iteration: "1", target: 3 }]);
});

test("R-2: keys of other names carry state, iteration and answer", async () => {
  const rename = {
    repeat_state: "sofar",
    repeat_next_state: "then",
    repeat_done: "enough",
    repeat_iteration: "turn",
  };
  const keys = { stateKey: "sofar", nextStateKey: "then", untilKey: "enough", iterationKey: "turn" };
  const { story } = await runToRest(repeatLoop(keys, rename));
  expect(story).toMatchObject({ status: "succeeded", state: '{"count":3}' });
  expect(story.outputs).toEqual([{ node: "after", value: '{"then":{"count":3},"enough":true,"note":"3"}' }]);
});

describe("the input of a repeat (R-3)", () => {
  test("R-3: a top-level text that names a value of the parent selects it, everything else is literal", async () => {
    const seen: Seen[] = [];
    const stop = child(() => ({ next: null, done: true }), seen);
    await runToRest(repeatLoop({ input: { target: "target", repeat_state: { from: "target" } } }), stop);
    await runToRest(repeatLoop({ input: { target: "targets" } }), stop);
    expect(seen).toEqual([
      { state: { from: "target" }, iteration: "1", target: 3 },
      { state: null, iteration: "1", target: "targets" },
    ]);
  });

  test("R-3: the input may set the first state and is the same in every iteration", async () => {
    const seen: Seen[] = [];
    const script = child(({ state }) => {
      const count = (state as { count: number }).count + 1;
      return { next: { count }, done: count >= 9 };
    }, seen);
    const { story } = await runToRest(
      repeatLoop({ input: { target: [1], repeat_state: { count: 7 } } }),
      script,
    );
    expect(story.state).toBe('{"count":9}');
    expect(seen.map(({ state, target }) => [state, target])).toEqual([
      [{ count: 7 }, [1]],
      [{ count: 8 }, [1]],
    ]);
  });

  test("R-3: values of the parent under a key the loop itself writes are never inherited", async () => {
    const ir = repeatLoop({ repeat_done: true, repeat_iteration: 99 });
    ir.nodes["loop"]!.inputs = { target: "json", repeat_done: "json", repeat_iteration: "json" };
    const { story } = await runToRest(ir);
    expect(story).toMatchObject({ status: "succeeded", state: '{"count":3}', iterations: 3 });
  });

  test("R-3: an input that only a run gives is refused before iteration 1: input_reserved", async () => {
    const ir = repeatLoop();
    ir.nodes["make"] = node("tool.nodejs", { script: "make" });
    ir.nodes["made"] = node("control.parseJson");
    ir.edges.push(
      { from: { node: "made", slot: "result" }, to: { node: "loop", slot: "input" } },
      { from: { node: "make", slot: "result" }, to: { node: "made", slot: "value" } },
      { from: { node: "make", slot: "next" }, to: { node: "made", slot: "prev" } },
      { from: { node: "made", slot: "next" }, to: { node: "loop", slot: "prev" } },
    );
    const reserved: CommandScript = (call) =>
      call.command === "make" ? '{"repeat_next_state":1}' : counting(call);
    ir.run!.roots = ["make"];
    const { story } = await runToRest(ir, reserved);
    expect(story).toMatchObject({ status: "failed", code: "input_reserved", iterations: 0 });
    expect(story.failure?.message).toContain('"repeat_next_state" (nextStateKey)');
  });
});

test("R-7: a nested repeat counts by itself and does not start from the outer loop's state", async () => {
  const ir = repeatLoop({ target: 2 });
  const inner = structuredClone(repeatLoop({ target: 3 }));
  for (const [id, one] of Object.entries(inner.nodes)) if (id !== "after") ir.nodes[`in_${id}`] = one;
  const renamed = (id: string) => `in_${id}`;
  for (const { from, to } of inner.edges)
    if (to.node !== "after")
      ir.edges.push({
        from: { node: renamed(from.node), slot: from.slot },
        to: { node: renamed(to.node), slot: to.slot },
      });
  const own = inner.subflows["child"]!;
  ir.subflows = {
    inner: {
      ...own,
      inputs: Object.fromEntries(Object.entries(own.inputs).map(([name, id]) => [name, renamed(id)])),
      outputs: Object.fromEntries(
        Object.entries(own.outputs).map(([name, at]) => [name, { ...at, node: renamed(at.node) }]),
      ),
      roots: own.roots.map(renamed),
      members: own.members.map(renamed).toSorted(),
    },
    ...ir.subflows,
  };
  ir.nodes["in_loop"]!.attributes["child"] = "inner";
  const outer = ir.subflows["child"]!;
  outer.members = [...outer.members, "in_loop"].toSorted();
  ir.edges.push({ from: { node: "doneJson", slot: "next" }, to: { node: "in_loop", slot: "prev" } });
  outer.outputs["inner"] = { node: "in_loop", slot: "repeat_result_state" };
  const { story } = await runToRest(ir);
  expect(story).toMatchObject({ status: "succeeded", state: '{"count":2}' });
  expect(story.outputs[0]?.value).toContain('"inner":{"count":3}');
});
