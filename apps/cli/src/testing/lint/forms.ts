import type { LintFixture } from "./fixture.ts";
import { edit } from "./fixture.ts";

/** A repeat of a child that answers by `repeat_done` and `repeat_next_state` (4.2). */
const REPEAT = `const state = flow.input("repeat_state", "json");
const count = tool.nodejs("Count", { state: state.value }, "node count.mjs");
const next = control.parseJson("Next", { value: count.result });
const check = tool.nodejs("Enough?", { next: next.result }, "node check.mjs");
const done = control.parseJson("Done", { value: check.result });
export const child = flow.subflow("Child", { repeat_state: state }, flow(count, next, check, done), { repeat_next_state: next.result, repeat_done: done.result });
const loop = control.repeat("Repeat", { input: { target: 3 } }, child, { maxIterations: 5, timeout: "1m" });
export const run = flow("Run", loop);
`;

/** A loop of an expression and an operation (4.3). */
const OPERATION = `const order = flow.input("order", "text");
const look = tool.nodejs("Look", { order: order.value }, \`echo \${order}\`);
export const poll = flow.subflow("Poll", { order }, flow(look), { status: look.result });
const start = provide.json("Start", { value: { order: "T-1", status: "open" } });
const loop = control.while("Poll", { state: start.value, maxIterations: "5", timeout: "1m" }, "state.status == 'open'", action(poll, { order: "state.order" }), { delayMs: 500 });
export const run = flow("Run", loop);
`;

type Given = Omit<LintFixture, "bad" | "mended" | "node">;

const inRepeat = (given: Given, good: string, bad: string): LintFixture => ({
  ...given,
  node: "loop",
  bad: edit(REPEAT, good, bad),
  mended: REPEAT,
});
const inOperation = (given: Given, good: string, bad: string, mended = OPERATION): LintFixture => ({
  ...given,
  node: "loop",
  bad: edit(mended, good, bad),
  mended,
});

const ACTION = 'action(poll, { order: "state.order" })';
const withOperation = (operation: string) => edit(OPERATION, ACTION, operation);

const ofRepeats: readonly LintFixture[] = [
  inRepeat(
    { code: "D09", what: "an option that does not exist (OP-7)", field: "turbo" },
    'timeout: "1m"',
    'timeout: "1m", ⟦⟧turbo: 5',
  ),
  inRepeat(
    { code: "D33", what: "a child that is not there (R-1)", field: "child" },
    "}, child,",
    "}, ⟦⟧kid,",
  ),
  inRepeat(
    { code: "D34", what: "a child that never says whether it is done (R-4)", field: "child" },
    "}, child, { maxIterations: 5",
    '}, ⟦⟧child, { untilKey: "finished", maxIterations: 5',
  ),
  {
    ...inRepeat(
      { code: "D36", what: "a child that says done as text (R-4)", field: "repeat_done" },
      "repeat_done: done.result",
      "repeat_done: check.result",
    ),
    bad: edit(
      edit(REPEAT, "repeat_done: done.result", "repeat_done: check.result"),
      "const loop",
      "const ⟦⟧loop",
    ),
  },
  {
    ...inRepeat(
      { code: "D37", what: "a repeat without a child (R-1)", field: "child" },
      "}, child, { maxIterations: 5",
      "}, { maxIterations: 5",
    ),
    bad: edit(
      edit(REPEAT, "}, child, { maxIterations: 5", "}, { maxIterations: 5"),
      "const loop",
      "const ⟦⟧loop",
    ),
  },
  inRepeat(
    { code: "D40", what: "a repeat over the operator's cap (R-1)", field: "maxIterations" },
    "maxIterations: 5",
    "⟦⟧maxIterations: 129",
  ),
  inRepeat(
    { code: "D40", what: "a repeat that may not run (R-1)", field: "maxIterations" },
    "maxIterations: 5",
    "⟦⟧maxIterations: 0",
  ),
  inRepeat(
    { code: "D40", what: "two keys of one name (R-2)", field: "untilKey" },
    "{ maxIterations: 5",
    '{ ⟦⟧untilKey: "repeat_state", maxIterations: 5',
  ),
  inRepeat(
    { code: "D40", what: "an input that sets a key of the loop (R-3)", field: "input" },
    "input: { target: 3 }",
    "⟦⟧input: { repeat_done: false }",
  ),
  {
    ...inRepeat(
      { code: "D41", what: "a repeat without a timeout of its own", severity: "warning" },
      ', timeout: "1m"',
      "",
    ),
    bad: edit(edit(REPEAT, ', timeout: "1m"', ""), "const loop", "const ⟦⟧loop"),
  },
];

const ofOperations: readonly LintFixture[] = [
  inOperation(
    { code: "D04", what: "a prompt that is not there (OP-2)", field: "operation" },
    'prompt("ask")',
    '⟦⟧prompt("tell")',
    withOperation('prompt("ask")'),
  ),
  inOperation(
    { code: "D25", what: "an action that does not exist (OP-2)", field: "operation" },
    'action("provide.json")',
    '⟦⟧action("provide.yaml")',
    withOperation('action("provide.json")'),
  ),
  inOperation(
    { code: "D26", what: "an action without an input of its subflow", field: "operation" },
    ACTION,
    "⟦⟧action(poll)",
  ),
  inOperation(
    { code: "D30", what: "two operations (OP-2)", field: "operation" },
    ACTION,
    `${ACTION}, ⟦⟧prompt("ask")`,
  ),
  inOperation(
    { code: "D40", what: "a pause that is negative (O-1)", field: "delayMs" },
    "{ delayMs: 500 }",
    "{ ⟦⟧delayMs: -500 }",
  ),
  inOperation(
    { code: "D40", what: "a pause that is longer than its maximum (O-1)", field: "maxDelayMs" },
    "{ delayMs: 500 }",
    "{ delayMs: 500, ⟦⟧maxDelayMs: 100 }",
  ),
  inOperation(
    { code: "D40", what: "a name that has a meaning of its own (O-5)", field: "itemVariable" },
    "{ delayMs: 500 }",
    '{ ⟦⟧itemVariable: "state" }',
  ),
  inOperation(
    { code: "D51", what: "a sub-agent that no catalogue can have (OP-2)", field: "operation" },
    'subAgent("critic", "Go on.")',
    '⟦⟧subAgent("the critic", "Go on.")',
    withOperation('subAgent("critic", "Go on.")'),
  ),
  inOperation(
    { code: "D62", what: "an expression that assigns (E-1)", field: "expression" },
    `"state.status == 'open'"`,
    `⟦⟧"state.status = 'open'"`,
  ),
  inOperation(
    { code: "D62", what: "a name no loop knows (E-3)", field: "expression" },
    `"state.status == 'open'"`,
    `⟦⟧"order.status == 'open'"`,
  ),
  inOperation(
    { code: "D62", what: "an expression inside a parameter (OP-5)", field: "operation" },
    ACTION,
    '⟦⟧action(poll, { order: "no. {{state.order +}}" })',
  ),
  inOperation(
    { code: "D62", what: "a mapping by a name that is not known (OP-4)", field: "outputMapping" },
    "{ delayMs: 500 }",
    '{ ⟦⟧outputMapping: { status: "$status" } }',
  ),
];

/** Mistakes in repeats and in loops of an operation (4-loop-forms). */
export const formFixtures: readonly LintFixture[] = [...ofRepeats, ...ofOperations];
