/**
 * Every code a finding can have (2-flows 2.5): its severity and what it means. `warning` and `error/warning` do not, or not
 * always, keep a flow from being registered. Codes are never reused.
 */
export const LINT_CODES = {
  D01: ["error", "The flow file is missing or is no ES2022 module."],
  D02: [
    "error",
    "Syntax that a flow cannot hold: a loop, `if`, a ternary, `await`, a spread, a function, `switch`, `try`, `new`.",
  ],
  D03: ["error", "A computed member access or key."],
  D04: [
    "error",
    "`file()` without one literal path, a path that leaves the flow folder, or a file that is not there.",
  ],
  D05: ["error", "An import from elsewhere than `agentflow/flow`, or of a name it does not have."],
  D06: ["error", "Something that has no place where it stands."],
  D07: ["error", "An unknown node type."],
  D09: ["error", "A slot that the node type does not have."],
  D10: ["error", "An output of an agent that is used without being declared."],
  D11: ["error", "An edge from or to a node or slot that is not declared."],
  D12: ["error", "A node in a control chain that stands in none, such as `provide.*` or `context.*`."],
  D13: ["error", "Slot types that do not fit."],
  D14: ["error", "More than one source for one input slot."],
  D15: ["error", "Nodes that wait for each other in a circle."],
  D20: ["error", "A subflow without anything to execute."],
  D21: ["error", "A member of a subflow that does not exist, or a node in two subflows."],
  D22: [
    "error",
    "A contract input that is bound to no `flow.input` of the subflow, or an output from outside of it.",
  ],
  D23: ["error", "An edge that crosses the boundary of a subflow."],
  D24: ["error", "A subflow that contains itself, directly or through calls and loops."],
  D25: [
    "error",
    "A call of an unknown subflow; an action that is neither a subflow nor a node type that works.",
  ],
  D26: [
    "error/warning",
    "A call, or an action, with a pin that is not taken, or without one of the inputs (a context: warning).",
  ],
  D27: ["warning", "A contract input under another name than its `flow.input`."],
  D28: ["error", "An unknown type of a `flow.input`."],
  D30: ["error", "A loop with more than one source of decisions, or without exactly one operation."],
  D31: ["error", "A loop with only one of Condition and Body, or of expression and operation."],
  D32: ["error", "A loop with the same subflow as Condition and Body."],
  D33: ["error", "A Condition, Body or child that does not exist."],
  D34: [
    "error",
    "A Condition without `state`, `iteration` or `decision`; a child without what says that it is done.",
  ],
  D35: ["error", "A Body without `state`, `iteration`, `idempotencyKey` or the output `state`."],
  D36: ["error", "A member of a contract with the wrong type."],
  D37: ["error", "A loop without a source of decisions."],
  D38: ["error", "An output that no Condition, or no Body, has."],
  D39: ["error", "An input that no Condition, or no Body, has."],
  D40: [
    "error",
    "A limit, pause or other option outside its grammar or cap; a written state that is not JSON or too large.",
  ],
  D41: ["warning", "A loop that relies on default limits."],
  D42: ["warning", "A loop inside a subflow: its decision `wait` fails at run time."],
  D43: ["error", "A node inside a subflow that may wait."],
  D44: ["error", "Loops nested more than five deep."],
  D50: [
    "error/warning",
    "A `control.if` without a prediction (error) or without one of its branches (warning).",
  ],
  D51: ["error", "Ids of a context node, or of an operation, that are none."],
  D52: ["error", "A context workspace without a legal name."],
  D53: ["error", "An unknown access to a workspace."],
  D54: ["error", "A context bundle of nothing."],
  D60: ["warning", "A node that is connected to nothing; a flow without a run entry."],
  D61: ["error", "A placeholder without a value, or where a command cannot quote it."],
  D62: ["error", "An expression or an output mapping that cannot be evaluated."],
} as const satisfies Record<string, readonly ["error" | "warning" | "error/warning", string]>;

export type LintCode = keyof typeof LINT_CODES;
