import { readFileSync } from "node:fs";

const EFFECT = readFileSync(new URL("./fixtures/effect.sh", import.meta.url), "utf8");

export const flowFiles = { "effect.sh": EFFECT };

/** A flow of the load, and what an undisturbed run of it leaves behind. */
export type StormFlow = {
  readonly source: string;
  /** Final state of the loop of the parent graph. */
  readonly state: string;
  /** Iterations of the loop of the parent graph. */
  readonly iterations: number;
  /** Iterations of all its loops. */
  readonly rows: number;
  /** Iterations that wait. */
  readonly waits: readonly number[];
  /** All its pauses, which count as active time (O-1). */
  readonly pausedMs?: number;
};

const LIMITS = `maxIterations: "50", timeout: "30m"`;
const effect = (
  role: string,
  iteration: string,
  key: string,
  state: string,
  waits: string,
  done: number,
): string =>
  `\`sh \${flowDir}/effect.sh \${workspaceRoot} ${role} ${iteration} ${key} ${state} ${waits} ${done}\``;

const AFTER = `
const after = tool.nodejs("After", { state: loop.state }, ${effect("after", "0", "-", "${state}", ",", 0)});
const shown = display.code("Shown", { content: after.result });
export const run = flow("Run", loop, after, shown);
`;

const FROM_ENVIRONMENT = [
  `"$AGENTFLOW_WHILE_ITERATION"`,
  `"$AGENTFLOW_WHILE_IDEMPOTENCY_KEY"`,
  `"$AGENTFLOW_WHILE_STATE"`,
] as const;

/** A script loop that waits in the given iterations. */
function scriptLoop(done: number, waits: readonly number[], extra = ""): StormFlow {
  const command = effect("script", ...FROM_ENVIRONMENT, `,${waits.join(",")},`, done);
  return {
    source: `const loop = control.while("Count", { state: "[0]", ${LIMITS}${extra} }, ${command});${AFTER}`,
    state: `[${range(0, done).join(",")}]`,
    iterations: done,
    rows: done,
    waits,
  };
}

const inputs = (prefix: string): string => `
const ${prefix}State = flow.input("state", "json");
const ${prefix}Iteration = flow.input("iteration", "text");
const ${prefix}Key = flow.input("idempotencyKey", "text");`;
const pins = (prefix: string): string =>
  `{ state: ${prefix}State.value, iteration: ${prefix}Iteration.value, key: ${prefix}Key.value }`;
const contract = (prefix: string): string =>
  `{ state: ${prefix}State, iteration: ${prefix}Iteration, idempotencyKey: ${prefix}Key }`;
const VALUES = ["${iteration}", "${key}", "${state}"] as const;

/** A loop whose Condition is a command; its Body is given. The last evaluation of the Condition has no Body (L-12). */
function subflowLoop(done: number, waits: readonly number[], body: string): string {
  return `${inputs("check")}
const judge = tool.nodejs("Judge", ${pins("check")}, ${effect("condition", ...VALUES, `,${waits.join(",")},`, done)});
export const goOn = flow.subflow("Go on?", ${contract("check")}, flow(judge), { decision: judge.result });
${inputs("body")}
${body}
const loop = control.while("Count", { state: "[0]", ${LIMITS} }, goOn, advance);${AFTER}`;
}

function steps(done: number, waits: readonly number[]): StormFlow {
  const body = `const work = tool.nodejs("Work", ${pins("body")}, ${effect("body", ...VALUES, ",", 0)});
const next = control.parseJson("Next", { value: work.result });
export const advance = flow.subflow("Advance", ${contract("body")}, flow(work, next), { state: next.result });`;
  const rounds = range(1, done - 1).filter((iteration) => !waits.includes(iteration));
  return {
    source: subflowLoop(done, waits, body),
    state: `[${[0, ...rounds].join(",")}]`,
    iterations: done,
    rows: done,
    waits,
  };
}

/** Each round of the outer loop runs the inner one to its end. */
function nested(done: number, inner: number): StormFlow {
  const command = effect("inner", ...FROM_ENVIRONMENT, ",", inner);
  const body = `const within = control.while("Within", { state: bodyState.value, ${LIMITS} }, ${command});
export const advance = flow.subflow("Advance", ${contract("body")}, flow(within), { state: within.state });`;
  const rounds = range(1, done - 1).flatMap(() => range(1, inner));
  return {
    source: subflowLoop(done, [], body),
    state: `[${[0, ...rounds].join(",")}]`,
    iterations: done,
    rows: done + rounds.length,
    waits: [],
  };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

export const stormFlows = {
  count: scriptLoop(8, []),
  park: scriptLoop(7, [2, 5]),
  steps: steps(6, []),
  ask: steps(6, [3]),
  nested: nested(4, 3),
  /** Its pauses are durable timers, which an emptied queue does not end. */
  paced: { ...scriptLoop(5, [], `, delayMs: "300", backoffFactor: "2"`), pausedMs: 300 + 600 + 1200 + 2400 },
} as const satisfies Record<string, StormFlow>;

export type FlowName = keyof typeof stormFlows;
export const allFlows = Object.keys(stormFlows) as FlowName[];
