import { describe, expect, test } from "vitest";
import { flow, node, subflow } from "../../testing/build-ir.ts";
import { editedIr, findings, finds } from "../../testing/lint-case.ts";
import type { Edit } from "../../testing/lint-case.ts";
import { errorCodes, input, limits, pin, repeatWith } from "../../testing/loop-case.ts";
import type { Ir } from "../ir.ts";

/** A loop of an expression and an operation, edited. */
const operationWith = (operation: unknown, edit: Edit = () => {}): Ir =>
  editedIr(
    flow(
      {
        order: input("order"),
        look: node("tool.nodejs", { script: "echo ${order}", inputs: { order: "text" } }),
        loop: node("control.while", {
          pins: { ...limits },
          attributes: {
            expression: "state.n < 3",
            operation: typeof operation === "string" ? operation : JSON.stringify(operation),
          },
        }),
      },
      ["order.value > look.order"],
      ["loop"],
      { poll: subflow(["look"], ["look", "order"], { order: "order" }, { status: "look.result" }) },
    ),
    edit,
  );

const poll = { action: "poll", params: { order: "state.order" } };
test("the flows these tests edit have no findings", () => {
  expect(findings(repeatWith())).toEqual([]);
  expect(findings(operationWith(poll))).toEqual([]);
});

describe("where an operation loop's parts are not whole (OP-2)", () => {
  const without = (name: string): Ir =>
    operationWith(poll, (draft) => delete draft.node("loop").attributes[name]);
  finds("D31", "loop.operation", "an expression alone is body_not_one", {
    broken: without("operation"),
    mended: operationWith(poll),
  });
  finds("D31", "loop.expression", "an operation alone", {
    broken: without("expression"),
    mended: operationWith(poll),
  });
  finds("D30", "loop.operation", "none of the three", {
    broken: operationWith({}),
    mended: operationWith(poll),
  });
  finds("D30", "loop.operation", "two of the three", {
    broken: operationWith({ ...poll, prompt: "ask" }),
    mended: operationWith(poll),
  });
  finds("D30", "loop", "an operation and a script (L-5)", {
    broken: operationWith(poll, (draft) => Object.assign(draft.node("loop"), { script: "true" })),
    mended: operationWith(poll),
  });
  finds("D40", "loop.operation", "an operation that is not JSON", {
    broken: operationWith("{action"),
    mended: operationWith(poll),
  });
  finds("D40", "loop.operation", "a literal object in a context", {
    broken: operationWith({ subAgent: "critic", context: [{ key: "secret" }] }),
    mended: operationWith({ subAgent: "critic", context: ["notes"] }),
  });
});

describe("what an operation names (OP-2)", () => {
  finds("D25", "loop.operation", "an action that is neither subflow nor node type", {
    broken: operationWith({ action: "pol", params: { order: 1 } }),
    mended: operationWith(poll),
  });
  test.each([
    "control.if",
    "control.while",
    "control.repeat",
    "flow.call",
    "flow.input",
    "context.mcp",
    "provide.password",
    "test.pauses",
  ])("D25: %s does no work by itself", (action) => {
    expect(errorCodes(operationWith({ action }))).toEqual(["D25 loop.operation"]);
  });
  finds("D26", "loop.operation", "a parameter the subflow does not take", {
    broken: operationWith({ action: "poll", params: { order: 1, more: 2 } }),
    mended: operationWith(poll),
  });
  finds("D26", "loop.operation", "a parameter the node type does not take", {
    broken: operationWith({ action: "provide.json", params: { values: 1 } }),
    mended: operationWith({ action: "provide.json", params: { value: 1 } }),
  });
  finds("D26", "loop.operation", "a command without its script", {
    broken: operationWith({ action: "tool.nodejs", params: { n: "state.n" } }),
    mended: operationWith({
      action: "tool.nodejs",
      params: { n: "state.n", script: "echo ${n} {{not an expression" },
    }),
  });
  test("OP-2: what a subflow of an action asks of the loop needs no parameter", () => {
    const asking = operationWith(poll, (draft) => {
      for (const name of ["state", "iteration", "idempotencyKey"]) {
        draft.ir.nodes[name] = input(name);
        draft.subflow("poll").inputs[name] = name;
        draft.subflow("poll").members.push(name);
      }
    });
    expect(errorCodes(asking)).toEqual([]);
  });
  finds("D04", "loop.operation", "a prompt whose file is not there", {
    broken: operationWith({ prompt: "../secret" }),
    mended: operationWith(poll),
  });
  finds("D51", "loop.operation", "a catalogue entry that no catalogue can have", {
    broken: operationWith({ subAgent: "critic", context: ["two words"] }),
    mended: operationWith({ subAgent: "critic", context: ["two-words"] }),
  });
});

describe("expressions of a loop (E-3)", () => {
  const condition = (expression: string, edit: Edit = () => {}): Ir =>
    operationWith(poll, (draft) => {
      draft.node("loop").attributes["expression"] = expression;
      edit(draft);
    });
  finds("D62", "loop.expression", "syntax outside the grammar", {
    broken: condition("state.constructor"),
    mended: condition("state.construct"),
  });
  finds("D62", "loop.expression", "a name by the itemVariable that the loop renames (O-5)", {
    broken: condition("attempt.attemptNumber < 3", pin("itemVariable", "turn")),
    mended: condition("turn.attemptNumber < 3", pin("itemVariable", "turn")),
  });
  test("O-5, E-3: when a run names the itemVariable, names are not judged, the grammar is", () => {
    const wired = (draft: Parameters<Edit>[0]) => {
      draft.ir.nodes["name"] = node("tool.nodejs", { script: "echo turn" });
      draft.wire("name > loop", "name.result > loop.itemVariable");
    };
    expect(errorCodes(condition("anything.at.all", wired))).toEqual([]);
    expect(errorCodes(condition("anything = 1", wired))).toEqual(["D62 loop.expression"]);
  });
  finds("D62", "loop.operation", "an expression in the message of a sub-agent (OP-5)", {
    broken: operationWith({ subAgent: "critic", message: "{{state.}}" }),
    mended: operationWith({ subAgent: "critic", message: "{{state.text}} {{payload.n}} {{results.length}}" }),
  });
  finds("D62", "loop.outputMapping", "an output mapping that is not JSON (OP-4)", {
    broken: operationWith(poll, pin("outputMapping", "{a: b}")),
    mended: operationWith(poll, pin("outputMapping", '{"a":"b"}')),
  });
  finds("D62", "loop.outputMapping", "an unknown $name in a mapping (OP-4)", {
    broken: operationWith(poll, pin("outputMapping", "$fields")),
    mended: operationWith(poll, pin("outputMapping", { fields: "fields" })),
  });
});

describe("options of every form (4.1)", () => {
  for (const [slot, bad, good] of [
    ["delayMs", -1, 1],
    ["delayMs", 3_600_001, 3_600_000],
    ["backoffFactor", 0.5, 1.5],
    ["maxDelayMs", 3_600_001, 3_600_000],
    ["continueOnError", "maybe", true],
    ["retries", { max: -1 }, { max: 1 }],
    ["onExhausted", "park", "stop"],
    ["itemVariable", " ", "turn"],
  ] as const) {
    finds("D40", `loop.${slot}`, `O-1 to O-5: ${slot} of ${JSON.stringify(bad)}`, {
      broken: repeatWith(pin(slot, bad)),
      mended: repeatWith(pin(slot, good)),
    });
  }
  test("O-1: a limit on the pause that a run decides cannot be judged, and null is nothing said", () => {
    expect(errorCodes(repeatWith(pin("delayMs", null)))).toEqual([]);
    const wired = repeatWith((draft) => {
      draft.ir.nodes["most"] = node("tool.nodejs", { script: "echo 5" });
      draft.wire("most > loop", "most.result > loop.maxDelayMs");
      pin("delayMs", 100_000)(draft);
    });
    expect(errorCodes(wired)).toEqual([]);
  });
  finds("D09", "loop.turbo", "an option that comes later (OP-7)", {
    broken: operationWith(poll, pin("turbo", 5)),
    mended: operationWith(poll),
  });
});
