/** Markup and script that would run wherever a text became part of a page (S-21). */
export const XSS = [
  `<img src=x onerror="window.hacked=1">`,
  `<script>window.hacked=1</script>`,
  `"><svg onload=window.hacked=1>`,
  `javascript:window.hacked=1`,
  `' onmouseover='window.hacked=1`,
  `{{constructor.constructor('window.hacked=1')()}}`,
  `</textarea><script>window.hacked=1</script>`,
  `<a href="javascript:window.hacked=1">x</a>`,
].join(" ");

/** Counts to its state's `n` and ends, or waits in iteration `wait` with the state's own `why`. */
export const COUNT = `import { control, display, flow, provide } from "agentflow/flow";
const start = provide.json("Start", { value: { n: 3, wait: 0, why: "" } });
const loop = control.while("Count", { state: start.value, maxIterations: "20", timeout: "10m" }, \`
exec node -e '
const e = process.env;
const state = JSON.parse(e.AGENTFLOW_WHILE_STATE);
const i = Number(e.AGENTFLOW_WHILE_ITERATION);
if (state.fail === i) { console.error(state.why); process.exit(7); }
if (state.wait === i && !e.AGENTFLOW_WHILE_RESUME) {
  console.log(JSON.stringify({ decision: "wait", summary: state.why || "shall it go on?", state }));
} else {
  const resume = e.AGENTFLOW_WHILE_RESUME;
  const next = { ...state, done: i, ...(resume ? { resume: JSON.parse(resume) } : {}) };
  console.log(JSON.stringify({ decision: i >= state.n ? "done" : "continue", summary: "counted " + i + " " + state.why, state: next }));
}'\`);
const shown = display.code("Shown", { content: loop.state });
export const run = flow("Run", loop, shown);
`;

/** Goes on until a file with the run's word in its name exists: a run that ends when the test says so. */
export const UNTIL_FILE = `import { control, display, flow, provide } from "agentflow/flow";
const start = provide.json("Start", { value: { file: "" } });
const loop = control.while("Look", { state: start.value, maxIterations: "100000", timeout: "1h" }, \`
file=$(printf %s "$AGENTFLOW_WHILE_STATE" | sed 's/.*"file":"//; s/".*//')
for _ in 1 2 3 4 5 6 7 8 9 10; do if [ -e "$file" ]; then break; fi; sleep 0.1; done
if [ -e "$file" ]; then printf '{"decision":"done","state":%s}' "$AGENTFLOW_WHILE_STATE"
else printf '{"decision":"continue","state":%s}' "$AGENTFLOW_WHILE_STATE"; fi\`);
const shown = display.code("Shown", { content: loop.state });
export const run = flow("Run", loop, shown);
`;

/** Keeps its state, however large, and waits. */
export const KEEP = `import { control, display, flow, provide } from "agentflow/flow";
const start = provide.json("Start", { value: {} });
const loop = control.while("Keep", { state: start.value, maxIterations: "20", timeout: "10m" }, \`
printf '{"decision":"wait","summary":"kept"}'\`);
const shown = display.code("Shown", { content: loop.state });
export const run = flow("Run", loop, shown);
`;
