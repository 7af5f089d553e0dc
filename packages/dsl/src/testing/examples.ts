/** The loop of the reference guide (2-flows 2.9) with commands in the place of agents. */
export const LOOP_EXAMPLE = `// a loop: Condition and Body are subflows; the Body's text goes through parseJson
const checkState = flow.input("state", "json");
const checkIteration = flow.input("iteration", "text");
const judge = tool.nodejs("Decide", { state: checkState.value }, \`node \${flowDir}/scripts/judge.mjs\`);
export const goOn = flow.subflow("Go on?", { state: checkState, iteration: checkIteration }, flow(judge), { decision: judge.result });

const bodyState = flow.input("state", "json");
const bodyIteration = flow.input("iteration", "text");
const bodyKey = flow.input("idempotencyKey", "text");
const step = tool.nodejs("One step", { state: bodyState.value, idempotencyKey: bodyKey.value }, \`node \${flowDir}/scripts/advance-one.mjs\`);
const next = control.parseJson("Next state", { value: step.result });
export const advance = flow.subflow("Advance", { state: bodyState, iteration: bodyIteration, idempotencyKey: bodyKey }, flow(step, next), { state: next.result });

const initial = provide.json("Start", { value: "{\\"cursor\\":0,\\"records\\":[],\\"valid\\":[],\\"invalid\\":[]}" });
const loop = control.while("Record by record", { state: initial.value, maxIterations: "20", timeout: "30m" }, goOn, advance);
const summarize = tool.nodejs("Summary", { state: loop.state }, file("scripts/summarize.mjs"));
const report = display.markdown("Report", { content: summarize.result });
export const run = flow("Run", loop, summarize, report);
`;

/** The subflow with two outputs of the reference guide (2-flows 2.9) with commands in the place of agents. */
export const CALL_EXAMPLE = `// an ordinary subflow with two outputs, called and destructured
const ticketIn = flow.input("ticket", "text");
const inspect = tool.nodejs("Inspect one ticket", { ticket: ticketIn.value }, \`printf %s \${ticket}\`);
const tidy = tool.nodejs("Tidy up", { analysis: inspect.result }, \`printf %s \${analysis}\`);
export const inspectTicket = flow.subflow("One ticket", { ticket: ticketIn }, flow(inspect, tidy), { summary: tidy.result, raw: inspect.result });

const pending = provide.text("Pending", { value: "T-1" });
const callInspect = flow.call("Inspect", inspectTicket, { ticket: pending.value });
const { summary, raw } = callInspect;
const show = display.markdown("Shown", { content: summary });
export const run = flow("Run", callInspect, show);
`;
