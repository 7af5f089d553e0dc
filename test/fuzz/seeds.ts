import { readdirSync, readFileSync } from "node:fs";

const EXAMPLES = new URL("../../examples/", import.meta.url);

/** Flow files of the examples, and one of everything else the language has. */
export const goodFlows: readonly string[] = [
  ...readdirSync(EXAMPLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readFileSync(new URL(`${name}/workspace.flow.js`, EXAMPLES), "utf8")),
  `const start = provide.json("Start", { value: "{\\"n\\":0}" });
const loop = control.while("Count", { state: start.value, maxIterations: "5", timeout: "10s" }, \`node \${flowDir}/step.mjs\`);
const shown = display.code("Shown", { content: loop.state });
export const run = flow("Run", loop, shown);`,
  `const state = provide.json("state", { value: { n: 1 } });
const loop = control.while("Ask", { state: state.value }, "state.n < 3", action("provide.json", { value: { n: "{{state.n + 1}}" } }), { delayMs: 250, retries: 2 });
export const run = flow("Run", loop);`,
  `const text = flow.input("text", "text");
const say = tool.nodejs("Say", { text: text.value }, "echo \${text}");
export const part = flow.subflow("Part", { text }, flow(say), { said: say.result });
const word = provide.text("Word", { value: "hi" });
const one = flow.call("One", part, { text: word.value });
const yes = control.if("Really?", { prediction: one.said }, flow(one));
export const run = flow("Run", flow.fork(flow(one), flow(yes)));`,
];

/** Answers of loop scripts, conditions, bodies and agents. */
export const goodAnswers: readonly string[] = [
  '{"decision":"continue","state":{"n":1,"items":[1.50,-0,1e2]},"summary":"one"}\n',
  '{"decision":"wait","summary":"needs a human"}',
  ' { "decision" : "done" , "state" : null } ',
  '{"decision":"fail","state":[[],{}],"summary":"\\u0041\\ud83d\\ude00"}',
  '```json\n{"verdict":"ok","constructor":1}\n```',
  "continue",
  " Done\n",
  `{"decision":"continue","state":${"[".repeat(510)}${"]".repeat(510)}}`,
];

/** Expressions and parameters of operations. */
export const goodExpressions: readonly string[] = [
  "state.n < 3 && results.length < 10",
  'payload.a.filter(x => x !== null).map((x, i) => x + i).join(",") === "1"',
  "state?.missing?.deeper ?? input",
  "Object.entries(state).some(([k, v]) => k === 'n' && v > 1)",
  "`${state.t} ${iteration}`.toUpperCase().slice(0, 3).padStart(9)",
  "Math.max(...[1, 2, state.n]) % 2 === 0 ? last : !item.attemptNumber",
  "JSON.stringify(state.a).length",
  "text {{state.n}} and {{ input }} {{",
  "static:{{state.n}}",
  'state["a"][3].b',
];

/** JSON `WhileOperation`s. */
export const goodOperations: readonly JsonValue[] = [
  {
    condition: "payload.n < 3 && results.length < 10",
    action: { name: "provide.json", params: { value: { n: "{{payload.n + 1}}" } } },
    maxIterations: 5,
    delayBetweenIterationsMs: 250,
    continueOnError: true,
    itemVariable: "turn",
  },
  { condition: "true", prompt: { name: "ask", templateParameters: { a: 1 } }, outputMapping: { "a.b": "c" } },
  { condition: "payload", subAgent: { name: "critic", message: "{{payload.text}}", context: ["notes"] } },
];

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** What the languages themselves are made of. */
export const WORDS: readonly string[] = [
  ...["const ", "export ", "flow", "flow(", "flow.fork(", "flow.input(", "flow.call(", "flow.subflow("],
  ...["control.while", "control.if", "control.repeat(", "tool.nodejs(", "provide.text(", "agent.x(", "file("],
  ...[
    "action(",
    "prompt(",
    "subAgent(",
    "value:",
    "state",
    "loop",
    "run",
    ".result",
    ".next",
    "text",
    "json",
  ],
  ...[
    "function",
    "class {}",
    "async ",
    "await ",
    "import ",
    "for (;;) ",
    "new ",
    "=> ",
    "typeof ",
    "in ",
    "let ",
  ],
  ...[
    '"decision":',
    '"state":',
    '"summary":',
    '"continue"',
    '"wait"',
    ',"a":1',
    "\\u005f",
    "\\ud83d",
    "1_000",
  ],
  ...[
    "(x => x)",
    ".map(",
    ".filter(x => ",
    "Object.keys(",
    "Math.",
    "`",
    "${state}",
    "?? ",
    "?.[",
    "[...",
    "{{",
  ],
];
