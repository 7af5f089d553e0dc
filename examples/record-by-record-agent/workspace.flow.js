// a loop: Condition and Body are subflows; the Body's text goes through parseJson
const checkState = flow.input("state", "json");
const checkContext = flow.input("context", "context");
const checkIteration = flow.input("iteration", "text");
const judge = agent.subAgent(
  "Decide",
  { context: checkContext.value, state: checkState.value },
  `Look at the state. Answer continue, wait, done or fail.`,
);
export const goOn = flow.subflow(
  "Go on?",
  { context: checkContext, state: checkState, iteration: checkIteration },
  flow(judge),
  { decision: judge.result },
);

const bodyState = flow.input("state", "json");
const bodyContext = flow.input("context", "context");
const bodyIteration = flow.input("iteration", "text");
const bodyKey = flow.input("idempotencyKey", "text");
const step = tool.nodejs(
  "One step",
  { context: bodyContext.value, state: bodyState.value, idempotencyKey: bodyKey.value },
  `node ${flowDir}/scripts/advance-one.mjs`,
);
const next = control.parseJson("Next state", { value: step.result });
export const advance = flow.subflow(
  "Advance",
  { context: bodyContext, state: bodyState, iteration: bodyIteration, idempotencyKey: bodyKey },
  flow(step, next),
  { state: next.result },
);

const initial = provide.json("Start", {
  value: {
    cursor: 0,
    records: ["A-1042;19.90;EUR", "A-1043;;EUR", "A-1044;7.50;EUR"],
    valid: [],
    invalid: [],
  },
});
const notes = context.knowledge("House rules", { ids: ["record-rules"] });
const bundle = context.bundle("Resources", { knowledge: notes });
const loop = control.while(
  "Record by record",
  { context: bundle, state: initial.value, maxIterations: "20", timeout: "30m" },
  goOn,
  advance,
);
const summarize = agent.subAgent("Summary", { state: loop.state }, `Write the final state up in Markdown.`);
const report = display.markdown("Report", { content: summarize.result });
export const run = flow("Run", loop, summarize, report);
