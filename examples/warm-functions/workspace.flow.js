// The loop of record-by-record with functions instead of commands: no process is started for a step.
const checkState = flow.input("state", "json");
const checkIteration = flow.input("iteration", "text");
const judge = tool.function("Decide", {}, file("scripts/judge.mjs"));
export const goOn = flow.subflow("Go on?", { state: checkState, iteration: checkIteration }, flow(judge), {
  decision: judge.result,
});

const bodyState = flow.input("state", "json");
const bodyIteration = flow.input("iteration", "text");
const bodyKey = flow.input("idempotencyKey", "text");
const step = tool.function("One step", {}, file("scripts/advance-one.mjs"));
export const advance = flow.subflow(
  "Advance",
  { state: bodyState, iteration: bodyIteration, idempotencyKey: bodyKey },
  flow(step),
  { state: step.result },
);

const initial = provide.json("Start", {
  value: {
    cursor: 0,
    records: ["A-1042;19.90;EUR", "A-1043;;EUR", "A-1044;7.50;EUR", "B-0007;12;XXX", "B-0008;1250.00;CHF"],
    valid: [],
    invalid: [],
  },
});
const loop = control.while(
  "Record by record",
  { state: initial.value, maxIterations: "20", timeout: "30m" },
  goOn,
  advance,
);
const summarize = tool.function("Summary", { final: loop.state }, file("scripts/summarize.mjs"));
const report = display.markdown("Report", { content: summarize.result });
export const run = flow("Run", loop, summarize, report);
