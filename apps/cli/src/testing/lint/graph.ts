import { edit, inCall, inLoop, LOOP, STEP } from "./fixture.ts";
import type { LintFixture } from "./fixture.ts";

const AGENT = `const write = agent.subAgent("Write", {}, "Write a title and a text as JSON.");
const { title } = write;
const show = display.code("Show", { content: write.title });
export const run = flow("Run", write, show);
`;
const CIRCLE = `const one = tool.nodejs("One", "date");
const two = tool.nodejs("Two", { at: one.result }, "date");
export const run = flow("Run", one, two);
`;
const IF = `const ask = tool.nodejs("Ask", "node ask.mjs");
const yes = tool.nodejs("Yes", "date");
const no = tool.nodejs("No", "date");
const choose = control.if("Choose", { prediction: ask.result }, flow(yes), flow(no));
export const run = flow("Run", ask, choose);
`;

/** Slots, edges, chains, branches and placeholders. */
export const graphFixtures: readonly LintFixture[] = [
  inLoop(
    { code: "D09", what: "a pin the node does not have", node: "loop", field: "limit" },
    'maxIterations: "5"',
    'maxIterations: "5", ⟦⟧limit: "5"',
  ),
  {
    code: "D10",
    what: "an output of an agent that is not declared (F-6)",
    bad: edit(edit(AGENT, "const { title } = write;\n", ""), "write.title", "⟦⟧write.title"),
    mended: AGENT,
    node: "show",
    field: "content",
  },
  inCall(
    { code: "D11", what: "a slot that is not there", node: "shown", field: "content" },
    "content: call.text",
    "⟦⟧content: call.title",
  ),
  inCall(
    { code: "D11", what: "a node that is not there", node: "shown", field: "content" },
    "call.text",
    "⟦⟧caller.text",
  ),
  {
    code: "D12",
    what: "a provide node in a chain (AC-79)",
    bad: edit(edit(LOOP, "const start", "const ⟦⟧start"), '"Run", loop', '"Run", start, loop'),
    mended: LOOP,
    node: "start",
  },
  {
    code: "D13",
    what: "text wired to a loop's state (AC-77)",
    bad: edit(
      edit(LOOP, 'provide.json("Start", { value: {} })', 'provide.str("Start", { value: "{}" })'),
      "state: start.value",
      "⟦⟧state: start.value",
    ),
    mended: LOOP,
    node: "loop",
    field: "state",
  },
  {
    code: "D15",
    what: "two nodes that read from each other",
    bad: edit(
      edit(CIRCLE, 'tool.nodejs("One", ', 'tool.nodejs("One", { at: two.result }, '),
      "const one",
      "const ⟦⟧one",
    ),
    mended: CIRCLE,
    node: "one",
  },
  {
    code: "D50",
    what: "no prediction",
    bad: edit(edit(IF, "{ prediction: ask.result }", "{}"), "const choose", "const ⟦⟧choose"),
    mended: IF,
    node: "choose",
    field: "prediction",
  },
  {
    code: "D50",
    what: "no else branch",
    severity: "warning",
    bad: edit(edit(IF, "flow(yes), flow(no)", "flow(yes)"), "const choose", "const ⟦⟧choose").replace(
      'flow("Run", ask',
      'flow("Run", ask, no',
    ),
    mended: IF,
    node: "choose",
    field: "else",
  },
  {
    code: "D60",
    what: "a node that is connected to nothing",
    severity: "warning",
    bad: `const ⟦⟧alone = tool.nodejs("Alone", "date");\n${STEP}`,
    mended: edit(`const alone = tool.nodejs("Alone", "date");\n${STEP}`, '"Run", step', '"Run", alone, step'),
    node: "alone",
  },
  {
    code: "D60",
    what: "no run entry",
    severity: "warning",
    bad: 'const one = tool.nodejs("One", "date");\nconst two = tool.nodejs("Two", { at: one.result }, "date");\n',
    mended: CIRCLE,
  },
  {
    code: "D61",
    what: "a placeholder without a value",
    bad: edit(STEP, '"date"', "⟦⟧`echo ${HOME}`"),
    mended: edit(STEP, '"date"', "`echo $HOME`"),
    node: "step",
    field: "script",
  },
  {
    code: "D61",
    what: "a placeholder where a command cannot quote it (F-22)",
    bad: edit(STEP, '"date"', "⟦⟧`echo $(ls ${flowDir})`"),
    mended: edit(STEP, '"date"', '`dir=${flowDir}; echo "$(ls "$dir")"`'),
    node: "step",
    field: "script",
  },
];
