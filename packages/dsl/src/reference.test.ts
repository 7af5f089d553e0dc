import { defaultRegistry, lint } from "@agentflow/core";
import { describe, expect, test } from "vitest";
import { parseFlow } from "./parse/parse-flow.ts";
import { printFlow } from "./print/print-flow.ts";

/** The loop of the reference guide (2-flows 2.9) as it stands there; the knowledge it names is declared. */
const LOOP = `
const notes = context.knowledge("Notes", { ids: ["notes"] });
const checkState = flow.input("state", "json");
const checkContext = flow.input("context", "context");
const checkIteration = flow.input("iteration", "text");
const judge = agent.subAgent("Decide", { context: checkContext.value, state: checkState.value }, \`Look at the state. Answer continue, wait, done or fail.\`);
export const goOn = flow.subflow("Go on?", { context: checkContext, state: checkState, iteration: checkIteration }, flow(judge), { decision: judge.result });

const bodyState = flow.input("state", "json");
const bodyContext = flow.input("context", "context");
const bodyIteration = flow.input("iteration", "text");
const bodyKey = flow.input("idempotencyKey", "text");
const step = tool.nodejs("One step", { context: bodyContext.value, state: bodyState.value, idempotencyKey: bodyKey.value }, \`node \${flowDir}/scripts/advance-one.mjs\`);
const next = control.parseJson("Next state", { value: step.result });
export const advance = flow.subflow("Advance", { context: bodyContext, state: bodyState, iteration: bodyIteration, idempotencyKey: bodyKey }, flow(step, next), { state: next.result });

const initial = provide.json("Start", { value: "{\\"cursor\\":0,\\"records\\":[],\\"valid\\":[],\\"invalid\\":[]}" });
const bundle = context.bundle("Resources", { knowledge: notes });   // notes = context.knowledge(…)
const loop = control.while("Record by record", { context: bundle, state: initial.value, maxIterations: "20", timeout: "30m" }, goOn, advance);
const summarize = agent.subAgent("Summary", { state: loop.state }, \`Write the final state up in Markdown.\`);
const report = display.markdown("Report", { content: summarize.result });
export const run = flow("Run", loop, summarize, report);
`;

/** The called subflow of the reference guide as it stands there. */
const CALL = `
const ticketIn = flow.input("ticket", "text");
const inspect = agent.subAgent("Inspect one ticket", { ticket: ticketIn.value }, \`Goal, risk and next step of this one ticket.\`);
const tidy = agent.subAgent("Tidy up", { analysis: inspect.result }, \`A summary the caller can show as it is.\`);
export const inspectTicket = flow.subflow("One ticket", { ticket: ticketIn }, flow(inspect, tidy), { summary: tidy.result, raw: inspect.result });

const pending = provide.text("Pending", { value: "T-1" });
const callInspect = flow.call("Inspect", inspectTicket, { ticket: pending.value });
const { summary, raw } = callInspect;
const show = display.markdown("Shown", { content: summary });
export const run = flow("Run", callInspect, show);
`;

/** Every kind of context node, a secret, and an agent with outputs of its own, inputs of its template among them. */
const RESOURCES = `
const notes = context.knowledge("Notes", { ids: ["notes", "faq"] });
const skills = context.skills("Skills", { ids: "triage" });
const repo = context.workspace("Repository", { workspace: "repo", access: "read-only" });
const issues = context.mcp("Issues", { ids: ["issues"] });
const all = context.bundle("All", { knowledge: notes, skills: skills, workspace: repo, mcp: issues.context });
const token = provide.password("Token", { value: "ISSUES_TOKEN" });
const topic = provide.text("Topic", { value: "cheese" });
const fetchIt = tool.nodejs("Fetch", { token: token.value, context: all }, "cat");
const ask = agent.subAgent("Ask", { context: all }, \`On \${topic.value}: \${fetchIt.result}\`);
const { title, tags } = ask;
const again = agent.subAgent("Again", { prompt: title }, file("prompts/frame.md"));
const show = display.markdown("Shown", { content: tags });
export const run = flow("Run", fetchIt, ask, again, show);
`;

const read = (text: string) => parseFlow({ text, files: { has: (path) => path === "prompts/frame.md" } });
const caps = { maxIterations: 1000, maxTimeoutMs: 604_800_000 };

describe("flows with agents and contexts", () => {
  test.each([
    ["AC-71, F-12: the loop of the reference guide", LOOP],
    ["F-12: the call of the reference guide", CALL],
    ["2.7: every resource a flow may use", RESOURCES],
  ])("%s parses, lints without an error and survives printing", (_what, text) => {
    const { ir, findings } = read(text);
    expect(findings).toEqual([]);
    if (ir === null) throw new Error("no IR");
    expect(lint(ir, { registry: defaultRegistry, caps, hasFile: () => true })).toEqual([]);
    const printed = printFlow(ir, defaultRegistry);
    expect(read(printed).ir).toEqual(ir);
    expect(printFlow(read(printed).ir ?? ir, defaultRegistry)).toBe(printed);
  });

  test("F-6: destructured outputs of an agent are texts it must answer with", () => {
    expect(read(RESOURCES).ir?.nodes["ask"]?.outputs).toEqual({ title: "text", tags: "text" });
    expect(read(RESOURCES).ir?.nodes["again"]).toMatchObject({ body: null, bodyRef: "prompts/frame.md" });
  });
});
