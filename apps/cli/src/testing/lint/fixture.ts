import type { LintCode } from "@agentflow/core";

/**
 * A flow file with one mistake, `⟦⟧` in front of the place that is reported (none for a finding without a place), and the
 * same file mended. Named fields are those of the finding.
 */
export type LintFixture = {
  readonly code: LintCode;
  readonly what: string;
  /** Null for a folder without a flow file. */
  readonly bad: string | null;
  readonly mended: string;
  /** `error` when left out. */
  readonly severity?: "warning";
  readonly node?: string;
  readonly field?: string;
  /** Codes of other errors that the same mistake makes. */
  readonly also?: readonly LintCode[];
};

/** The mark of the reported place. */
export const HERE = "⟦⟧";

/** Files that stand beside the flow file. */
export const FILES = ["scripts/step.mjs", "prompts/ask.md"] as const;

/** The text with one piece of it replaced; throws when the piece does not stand in it exactly once. */
export function edit(text: string, from: string, to: string): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`${from} stands ${parts.length - 1} times in the text`);
  return parts.join(to);
}

/** One command, and a run of it. */
export const STEP = `const step = tool.nodejs("Step", "date");
export const run = flow("Run", step);
`;

/** A subflow with one input and one output, and a call of it. */
export const CALL = `const topic = flow.input("topic", "text");
const write = tool.nodejs("Write", { topic: topic.value }, \`echo \${topic}\`);
export const draft = flow.subflow("Draft", { topic }, flow(write), { text: write.result });
const call = flow.call("Call", draft, { topic: "tea" });
const shown = display.markdown("Shown", { content: call.text });
export const run = flow("Run", call, shown);
`;

/** A loop with a Condition and a Body. */
export const LOOP = `const checkState = flow.input("state", "json");
const checkIteration = flow.input("iteration", "text");
const judge = tool.nodejs("Judge", { state: checkState.value }, "node judge.mjs");
export const goOn = flow.subflow("Go on?", { state: checkState, iteration: checkIteration }, flow(judge), { decision: judge.result });
const bodyState = flow.input("state", "json");
const bodyIteration = flow.input("iteration", "text");
const bodyKey = flow.input("idempotencyKey", "text");
const work = tool.nodejs("Work", { state: bodyState.value }, "node work.mjs");
const next = control.parseJson("Next", { value: work.result });
export const advance = flow.subflow("Advance", { state: bodyState, iteration: bodyIteration, idempotencyKey: bodyKey }, flow(work, next), { state: next.result });
const start = provide.json("Start", { value: {} });
const loop = control.while("Loop", { state: start.value, maxIterations: "5", timeout: "1m" }, goOn, advance);
export const run = flow("Run", loop);
`;

/** The loop with one piece replaced by a bad one, and the loop itself. */
export function inLoop(given: Omit<LintFixture, "bad" | "mended">, good: string, bad: string): LintFixture {
  return { ...given, bad: edit(LOOP, good, bad), mended: LOOP };
}

/** The call with one piece replaced by a bad one, and the call itself. */
export function inCall(given: Omit<LintFixture, "bad" | "mended">, good: string, bad: string): LintFixture {
  return { ...given, bad: edit(CALL, good, bad), mended: CALL };
}
