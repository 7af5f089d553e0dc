import { control, display, file, flow, provide, tool } from "agentflow/flow";

// Condition: the first member of the state says what is next. A shell answers that in a tenth of the time Node takes.
const checkState = flow.input("state", "json");
const checkIteration = flow.input("iteration", "text");
const checkResume = flow.input("resume", "json");
const judge = tool.nodejs(
  "Decide",
  { state: checkState.value, resume: checkResume.value },
  `case ${state} in
  '{"phase":"done",'*) echo done ;;
  '{"phase":"ask",'*) if [ -n ${resume} ]; then echo continue; else echo wait; fi ;;
  *) echo continue ;;
esac`,
);
const question = tool.nodejs(
  "Ask",
  { state: checkState.value, decision: judge.result },
  `if [ ${decision} = wait ]; then node ${flowDir}/scripts/question.mjs; fi`,
);
export const goOn = flow.subflow(
  "Go on?",
  { state: checkState, iteration: checkIteration, resume: checkResume },
  flow(judge, question),
  { decision: judge.result, summary: question.result },
);

// Body: one record, or the answer of a human to a batch of problems.
const bodyState = flow.input("state", "json");
const bodyIteration = flow.input("iteration", "text");
const bodyKey = flow.input("idempotencyKey", "text");
const bodyResume = flow.input("resume", "json");
const step = tool.nodejs(
  "One record",
  { state: bodyState.value, resume: bodyResume.value, idempotencyKey: bodyKey.value },
  file("scripts/step.mjs"),
);
const next = control.parseJson("Next state", { value: step.result });
export const advance = flow.subflow(
  "Advance",
  { state: bodyState, iteration: bodyIteration, idempotencyKey: bodyKey, resume: bodyResume },
  flow(step, next),
  { state: next.result },
);

const contacts = provide.file("Contacts", { value: file("data/contacts.csv") });
const batchSize = provide.json("Batch size", { value: 12 });
const begin = tool.nodejs(
  "Check the file",
  { contacts: contacts.value, batchSize: batchSize.value },
  file("scripts/begin.mjs"),
);
const initial = control.parseJson("Initial state", { value: begin.result });
const loop = control.while(
  "Record by record",
  { state: initial.result, maxIterations: "600", timeout: "30m" },
  goOn,
  advance,
);
const summarize = tool.nodejs(
  "Write the report",
  { state: loop.state, iterations: loop.iterations },
  file("scripts/report.mjs"),
);
const report = display.markdown("Report", { content: summarize.result });
export const run = flow("Import contacts", begin, initial, loop, summarize, report);
