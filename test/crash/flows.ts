import { readFileSync } from "node:fs";

const file = (name: string) => ({
  bytes: new Uint8Array(readFileSync(new URL(`./fixtures/${name}`, import.meta.url))),
  executable: false,
});

/** A flow of the crash tests: its file, and the script that all its nodes run. */
export type CrashFlow = { readonly name: string; readonly source: string };

export const crashFiles = new Map([
  ["step.sh", file("step.sh")],
  ["step.mjs", file("step.mjs")],
]);

const AFTER = `
const after = tool.nodejs("After", { state: loop.state }, \`sh \${flowDir}/step.sh \${workspaceRoot} after 0 - \${state}\`);
const shown = display.code("Shown", { content: after.result });
export const run = flow("Run", loop, after, shown);
`;

const PINS = `{ state: "[0]", maxIterations: "50", timeout: "10m" }`;

/** A script loop that counts to `done`, parking itself at `waits` (0: never). `extra` ends its command; `options` is an object in source. */
export function scriptFlow({
  done = 5,
  waits = 0,
  extra = "",
  options = "",
}: { done?: number; waits?: number; extra?: string; options?: string } = {}): CrashFlow {
  const command = [
    `sh \${flowDir}/step.sh \${workspaceRoot} script "$AGENTFLOW_WHILE_ITERATION"`,
    `"$AGENTFLOW_WHILE_IDEMPOTENCY_KEY" "$AGENTFLOW_WHILE_STATE" ${waits} ${done}${extra}`,
  ].join(" ");
  return {
    name: `script-${done}-${waits}${extra === "" ? "" : "-extra"}${options === "" ? "" : "-options"}`,
    source: `const loop = control.while("Count", ${PINS}, \`${command}\`${options === "" ? "" : `, ${options}`});${AFTER}`,
  };
}

/** Counts as the script loop does, with a Condition and a Body that are commands. */
export function subflowFlow({ done = 5 }: { done?: number } = {}): CrashFlow {
  const step = (role: string, last: number) =>
    `\`sh \${flowDir}/step.sh \${workspaceRoot} ${role} \${iteration} \${key} \${state} 0 ${last}\``;
  const inputs = (prefix: string) => `
const ${prefix}State = flow.input("state", "json");
const ${prefix}Iteration = flow.input("iteration", "text");
const ${prefix}Key = flow.input("idempotencyKey", "text");`;
  const pins = (prefix: string) =>
    `{ state: ${prefix}State.value, iteration: ${prefix}Iteration.value, key: ${prefix}Key.value }`;
  const contract = (prefix: string) =>
    `{ state: ${prefix}State, iteration: ${prefix}Iteration, idempotencyKey: ${prefix}Key }`;
  return {
    name: `subflow-${done}`,
    source: `${inputs("check")}
const judge = tool.nodejs("Judge", ${pins("check")}, ${step("condition", done)});
export const goOn = flow.subflow("Go on?", ${contract("check")}, flow(judge), { decision: judge.result });
${inputs("body")}
const work = tool.nodejs("Work", ${pins("body")}, ${step("body", 0)});
const next = control.parseJson("Next", { value: work.result });
export const advance = flow.subflow("Advance", ${contract("body")}, flow(work, next), { state: next.result });
const loop = control.while("Count", ${PINS}, goOn, advance);${AFTER}`,
  };
}

/** The same with warm functions, which note their starts in `functions` of the folder. */
export function functionFlow({ done, folder }: { done: number; folder: string }): CrashFlow {
  const inputs = (prefix: string) => `
const ${prefix}State = flow.input("state", "json");
const ${prefix}Iteration = flow.input("iteration", "text");
const ${prefix}Key = flow.input("idempotencyKey", "text");`;
  const contract = (prefix: string) =>
    `{ state: ${prefix}State, iteration: ${prefix}Iteration, idempotencyKey: ${prefix}Key }`;
  const call = (role: string) =>
    `tool.function("${role}", { folder: ${JSON.stringify(folder)}, role: "${role}", done: "${done}" }, file("step.mjs"))`;
  return {
    name: `function-${done}`,
    source: `${inputs("check")}
const judge = ${call("condition")};
export const goOn = flow.subflow("Go on?", ${contract("check")}, flow(judge), { decision: judge.result });
${inputs("body")}
const work = ${call("body")};
export const advance = flow.subflow("Advance", ${contract("body")}, flow(work), { state: work.result });
const loop = control.while("Count", ${PINS}, goOn, advance);${AFTER}`,
  };
}

/** The state after the given number of completed rounds that changed it: every one once, in order. */
export function stateAfter(rounds: number): string {
  return `[${Array.from({ length: rounds + 1 }, (_, n) => n).join(",")}]`;
}
