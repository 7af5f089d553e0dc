// the child: counts one up, and says whether that is enough
const target = flow.input("target", "json");
const state = flow.input("repeat_state", "json");
const iteration = flow.input("repeat_iteration", "text");
const count = tool.nodejs(
  "Count",
  { state: state.value, iteration: iteration.value },
  file("scripts/count.mjs"),
);
const next = control.parseJson("Next state", { value: count.result });
const compare = tool.nodejs(
  "Enough?",
  { state: next.result, target: target.value },
  file("scripts/enough.mjs"),
);
const enough = control.parseJson("Done", { value: compare.result });
export const counter = flow.subflow(
  "Counter",
  { target, repeat_state: state, repeat_iteration: iteration },
  flow(count, next, compare, enough),
  { repeat_next_state: next.result, repeat_done: enough.result },
);

// its parent: runs the child until that says it is done
const goal = provide.json("Target", { value: 3 });
const loop = control.repeat("Count to the target", { target: goal.value }, counter, {
  maxIterations: 10,
  timeout: "5m",
});
const result = display.code("Result", { content: loop.repeat_result });
const iterations = display.markdown("Iterations", { content: loop.repeat_result_iterations });
const child = display.markdown("Child", { content: loop.repeat_result_flow });
export const run = flow("Run", loop, result, iterations, child);
