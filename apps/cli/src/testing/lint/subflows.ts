import { CALL, edit, inCall, inLoop } from "./fixture.ts";
import type { LintFixture } from "./fixture.ts";

/** Subflows and calls (F-13). */
export const subflowFixtures: readonly LintFixture[] = [
  inCall(
    { code: "D20", what: "a subflow without a chain", node: "draft" },
    'export const draft = flow.subflow("Draft", { topic }, flow(write)',
    'export const ⟦⟧draft = flow.subflow("Draft", { topic }, flow()',
  ),
  {
    code: "D21",
    what: "a node in two subflows",
    bad: edit(
      edit(
        CALL,
        "const call =",
        'export const copy = flow.subflow("Copy", {}, flow(write), {});\nconst call =',
      ),
      "const write",
      "const ⟦⟧write",
    ),
    mended: CALL,
    node: "write",
  },
  inCall(
    {
      code: "D22",
      what: "an input that is bound to no flow.input",
      node: "draft",
      field: "more",
      also: ["D26"],
    },
    "{ topic }, flow",
    "{ topic, ⟦⟧more: write }, flow",
  ),
  inLoop(
    { code: "D22", what: "an output of a node of another subflow (P-68)", node: "goOn", field: "decision" },
    "{ decision: judge.result }",
    "{ ⟦⟧decision: work.result }",
  ),
  inCall(
    { code: "D23", what: "an edge out of a subflow", node: "shown", field: "content" },
    "content: call.text",
    "⟦⟧content: write.result",
  ),
  {
    code: "D24",
    what: "a subflow that calls itself (P-69)",
    bad: edit(
      edit(
        CALL,
        "export const draft",
        'const inner = flow.call("Inner", draft, { topic: topic.value });\nexport const draft',
      ),
      "flow(write)",
      "flow(write, inner)",
    ).replace('flow.call("Inner", draft', 'flow.call("Inner", ⟦⟧draft'),
    mended: CALL,
    node: "inner",
    field: "subflow",
    also: ["D06"],
  },
  inCall(
    { code: "D25", what: "a call of a subflow that is not there", node: "call", field: "subflow" },
    '"Call", draft',
    '"Call", ⟦⟧sketch',
  ),
  inCall(
    { code: "D26", what: "a pin the subflow does not take (P-68)", node: "call", field: "urgent" },
    '{ topic: "tea" }',
    '{ topic: "tea", ⟦⟧urgent: "yes" }',
  ),
  inCall(
    { code: "D26", what: "an input that is not passed (P-68)", node: "call", field: "topic" },
    'const call = flow.call("Call", draft, { topic: "tea" });',
    'const ⟦⟧call = flow.call("Call", draft, {});',
  ),
  {
    code: "D26",
    what: "a context that is not passed",
    severity: "warning",
    bad: edit(
      edit(CALL, "{ topic }, flow", "{ topic, context: notes }, flow"),
      "const write",
      'const notes = flow.input("context", "context");\nconst write',
    )
      .replace("{ topic: topic.value }", "{ topic: topic.value, notes: notes.value }")
      .replace("const call", "const ⟦⟧call"),
    mended: CALL,
    node: "call",
    field: "context",
  },
  {
    code: "D27",
    what: "another name than the flow.input has",
    severity: "warning",
    bad: edit(
      edit(CALL, "{ topic }, flow", "{ ⟦⟧subject: topic }, flow"),
      '{ topic: "tea" }',
      '{ subject: "tea" }',
    ),
    mended: CALL,
    node: "draft",
    field: "subject",
  },
  inCall(
    { code: "D28", what: "an unknown type", node: "topic", field: "type" },
    'flow.input("topic", "text")',
    'flow.input("topic", ⟦⟧"string")',
  ),
  {
    code: "D36",
    what: "a context under another name than context (L-48)",
    bad: edit(
      edit(CALL, "{ topic }, flow", "{ topic, ⟦⟧notes }, flow"),
      "const write",
      'const notes = flow.input("notes", "context");\nconst write',
    ),
    mended: edit(
      edit(CALL, "{ topic }, flow", "{ topic, context: notes }, flow"),
      "const write",
      'const notes = flow.input("context", "context");\nconst write',
    ),
    node: "draft",
    field: "notes",
  },
];
