import { edit, STEP } from "./fixture.ts";
import type { LintFixture } from "./fixture.ts";

/** The step with a statement before it, and without that. */
const before = (code: LintFixture["code"], what: string, statement: string, mended = ""): LintFixture => ({
  code,
  what,
  bad: `${statement}\n${STEP}`,
  mended: mended + STEP,
});

/** What the parser refuses by itself (F-4, F-5). */
export const syntaxFixtures: readonly LintFixture[] = [
  { code: "D01", what: "a folder without a flow file", bad: null, mended: STEP },
  { code: "D01", what: "a syntax error", bad: edit(STEP, '"date");', '"date"⟦⟧;'), mended: STEP },
  before("D02", "a loop (AC-80)", "⟦⟧for (;;) {}"),
  before("D02", "a function (AC-80)", "⟦⟧function f() {}"),
  before("D02", "an if", "⟦⟧if (true) {}"),
  before("D02", "new (AC-80)", "const at = ⟦⟧new Date();"),
  {
    code: "D02",
    what: "a ternary (AC-80)",
    bad: edit(STEP, '"date"', '{ utc: ⟦⟧true ? "1" : "0" }, "date"'),
    mended: edit(STEP, '"date"', '{ utc: "1" }, "date"'),
  },
  {
    code: "D03",
    what: "a computed member (AC-80)",
    bad: edit(
      STEP,
      '"date");',
      '"date");\nconst show = display.code("Show", { content: ⟦⟧step["result"] });',
    ),
    mended: edit(
      STEP,
      '"date");\nexport const run = flow("Run", step);',
      '"date");\nconst show = display.code("Show", { content: step.result });\nexport const run = flow("Run", step, show);',
    ),
  },
  {
    code: "D04",
    what: "a file that is not in the folder",
    bad: edit(STEP, '"date"', '⟦⟧file("scripts/gone.mjs")'),
    mended: edit(STEP, '"date"', 'file("scripts/step.mjs")'),
    node: "step",
    field: "script",
  },
  {
    code: "D04",
    what: "a path that leaves the folder (F-23)",
    bad: edit(STEP, '"date"', '⟦⟧file("../step.mjs")'),
    mended: edit(STEP, '"date"', 'file("scripts/step.mjs")'),
    node: "step",
    field: "script",
  },
  before(
    "D05",
    "an import from elsewhere",
    'import { readFileSync } from ⟦⟧"node:fs";',
    'import { flow, tool } from "agentflow/flow";\n',
  ),
  before("D05", "an unknown name of the language", 'import { ⟦⟧fetch } from "agentflow/flow";'),
  before("D06", "a value that is no call", "const ⟦⟧limit = 5;"),
  {
    code: "D06",
    what: "a second run entry (F-9)",
    bad: `${STEP}export const ⟦⟧again = flow("Again", step);\n`,
    mended: STEP,
    node: "again",
  },
  {
    code: "D06",
    what: "a command node without a command",
    bad: edit(STEP, 'step = tool.nodejs("Step", "date")', '⟦⟧step = tool.nodejs("Step")'),
    mended: STEP,
    node: "step",
    field: "script",
  },
  {
    code: "D07",
    what: "an unknown node type",
    bad: edit(STEP, "tool.nodejs", "⟦⟧tool.ruby"),
    mended: STEP,
    node: "step",
  },
];
