import { edit, inLoop, LOOP } from "./fixture.ts";
import type { LintFixture } from "./fixture.ts";

const SOURCES = '"1m" }, goOn, advance)';
const loop = { node: "loop" };

/** What decides in a loop, its limits, and where it stands (1-loop 1.2, L-5). */
const ofLoops: readonly LintFixture[] = [
  inLoop(
    { code: "D30", what: "subflows and a script (AC-74)", ...loop },
    'const loop = control.while("Loop", { state: start.value, maxIterations: "5", timeout: "1m" }, goOn, advance)',
    'const ⟦⟧loop = control.while("Loop", { state: start.value, maxIterations: "5", timeout: "1m" }, goOn, advance, "node loop.mjs")',
  ),
  withSources({ code: "D31", what: "a Condition only (AC-74)", field: "body" }, '"1m" }, goOn)'),
  inLoop(
    { code: "D32", what: "one subflow in both places (AC-74)", ...loop, field: "body" },
    SOURCES,
    '"1m" }, goOn, ⟦⟧goOn)',
  ),
  inLoop(
    { code: "D33", what: "a Condition that is not there", ...loop, field: "condition" },
    SOURCES,
    '"1m" }, ⟦⟧goOff, advance)',
  ),
  withSources({ code: "D37", what: "nothing that decides (AC-74)" }, '"1m" })'),
  inLoop(
    { code: "D40", what: "a limit that is no number (AC-35)", ...loop, field: "maxIterations" },
    'maxIterations: "5"',
    '⟦⟧maxIterations: "five"',
  ),
  inLoop(
    { code: "D40", what: "a limit over the operator's cap (L-7)", ...loop, field: "maxIterations" },
    'maxIterations: "5"',
    '⟦⟧maxIterations: "1001"',
  ),
  inLoop(
    { code: "D40", what: "a state that is not JSON (AC-18)", ...loop, field: "state" },
    "state: start.value",
    '⟦⟧state: "not json"',
  ),
  {
    code: "D41",
    what: "no limits of its own",
    severity: "warning",
    ...loop,
    bad: edit(
      edit(LOOP, 'state: start.value, maxIterations: "5", timeout: "1m"', "state: start.value"),
      "const loop",
      "const ⟦⟧loop",
    ),
    mended: LOOP,
  },
  {
    code: "D42",
    what: "a loop in a subflow",
    severity: "warning",
    node: "loop",
    bad:
      edit(edit(LOOP, 'export const run = flow("Run", loop);', ""), "const loop", "const ⟦⟧loop")
        .replace("const start", "const from")
        .replace("start.value", "from.value") +
      'export const whole = flow.subflow("Whole", {}, flow(loop), { state: loop.state });\nconst call = flow.call("Call", whole);\nexport const run = flow("Run", call);\n',
    mended: LOOP,
  },
  {
    code: "D44",
    what: "six loops in each other",
    node: "loop6",
    bad: edit(nested(6), "const loop6", "const ⟦⟧loop6"),
    mended: nested(5),
  },
];

/** The loop with other sources of decisions; the finding is about the loop as a whole. */
function withSources(given: Pick<LintFixture, "code" | "what" | "field">, sources: string): LintFixture {
  return {
    ...given,
    ...loop,
    bad: edit(edit(LOOP, SOURCES, sources), "const loop", "const ⟦⟧loop"),
    mended: LOOP,
  };
}

/** A loop whose Body holds a loop, and so on: `loop1` is the outermost. */
function nested(depth: number): string {
  let text = LOOP.slice(0, LOOP.indexOf("const start"));
  let body = "advance";
  for (let level = depth; level > 1; level--) {
    text += `const state${level} = flow.input("state", "json");
const iteration${level} = flow.input("iteration", "text");
const key${level} = flow.input("idempotencyKey", "text");
const loop${level} = control.while("Loop ${level}", { state: state${level}.value, maxIterations: "5", timeout: "1m" }, goOn, ${body});
export const body${level} = flow.subflow("Body ${level}", { state: state${level}, iteration: iteration${level}, idempotencyKey: key${level} }, flow(loop${level}), { state: loop${level}.state });
`;
    body = `body${level}`;
  }
  return `${text}const loop1 = control.while("Loop", { maxIterations: "5", timeout: "1m" }, goOn, ${body});
export const run = flow("Run", loop1);
`;
}

/** The contracts of Condition and Body (F-15). */
const ofContracts: readonly LintFixture[] = [
  {
    code: "D34",
    what: "a Condition without a decision (P-68)",
    node: "goOn",
    field: "decision",
    bad: edit(
      edit(LOOP, "flow(judge), { decision: judge.result })", "flow(judge), {})"),
      "const goOn",
      "const ⟦⟧goOn",
    ),
    mended: LOOP,
  },
  {
    code: "D35",
    what: "a Body without an idempotency key (AC-72)",
    node: "advance",
    field: "idempotencyKey",
    bad: edit(
      edit(
        edit(LOOP, ", idempotencyKey: bodyKey", ""),
        'const bodyKey = flow.input("idempotencyKey", "text");\n',
        "",
      ),
      "const advance",
      "const ⟦⟧advance",
    ),
    mended: LOOP,
  },
  inLoop(
    { code: "D36", what: "a Body that gives text as its state (AC-75)", node: "advance", field: "state" },
    "{ state: next.result }",
    "{ ⟦⟧state: work.result }",
  ),
  {
    code: "D36",
    what: "a context declared as text (AC-70)",
    node: "goOn",
    field: "context",
    bad: edit(
      edit(LOOP, "const judge", 'const notes = flow.input("context", "text");\nconst judge'),
      "iteration: checkIteration }",
      "iteration: checkIteration, ⟦⟧context: notes }",
    ),
    mended: edit(
      edit(LOOP, "const judge", 'const notes = flow.input("context", "context");\nconst judge'),
      "iteration: checkIteration }",
      "iteration: checkIteration, context: notes }",
    ),
  },
  inLoop(
    { code: "D38", what: "an output no Body has (P-68)", node: "advance", field: "result" },
    "{ state: next.result }",
    "{ state: next.result, ⟦⟧result: work.result }",
  ),
  {
    code: "D39",
    what: "an input no Condition has",
    node: "goOn",
    field: "cursor",
    bad: edit(
      edit(LOOP, "const judge", 'const extra = flow.input("cursor", "json");\nconst judge'),
      "iteration: checkIteration }",
      "iteration: checkIteration, ⟦⟧cursor: extra }",
    ),
    mended: edit(
      edit(LOOP, "const judge", 'const extra = flow.input("resume", "json");\nconst judge'),
      "iteration: checkIteration }",
      "iteration: checkIteration, resume: extra }",
    ),
  },
];

export const loopFixtures: readonly LintFixture[] = [...ofLoops, ...ofContracts];
