import {
  canonical,
  defaultRegistry,
  ERRORS,
  evaluate,
  irSchema,
  lint,
  loopScope,
  parseExpression,
  readAgentAnswer,
  readBodyAnswer,
  readConditionAnswer,
  readScriptAnswer,
  readWhileOperation,
  resolveParameter,
  scan,
} from "@agentflow/core";
import type { Failure, Ir } from "@agentflow/core";
import { parseFlow, roundTrip } from "@agentflow/dsl";
import fc from "fast-check";
import { writeFlow } from "../../packages/dsl/src/testing/random-flow.ts";
import { mutated, mutatedJson } from "./mutate.ts";
import { goodAnswers, goodExpressions, goodFlows, goodOperations, WORDS } from "./seeds.ts";

/** One way into the service for what strangers write: texts that come in, and what must hold whatever they are. */
export type Door = {
  readonly name: string;
  /** Its part of the inputs of a whole run. */
  readonly share: number;
  readonly input: fc.Arbitrary<string>;
  /** Throws when the input was not dealt with as promised. */
  readonly enter: (text: string) => void | Promise<void>;
};

export function must(holds: boolean, promise: string): void {
  if (!holds) throw new Error(`broken promise: ${promise}`);
}

function isFailure({ code, message }: Failure): void {
  must(Object.hasOwn(ERRORS, code), `the code ${code} is in the registry`);
  must(message !== "" && message.length < 20_000, "a failure says something, and not everything");
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Each character is one byte of stdout. */
function enterStdout(text: string): void {
  const result = readScriptAnswer(Buffer.from(text, "latin1"), "[0]");
  if (!result.ok) return isFailure(result.failure);
  const { state, decision } = result.answer;
  must(["continue", "wait", "done", "fail"].includes(decision), "the decision is one of four");
  const scanned = scan(state);
  must(scanned.ok && scanned.text === state, "a state that is taken is exact compact JSON");
}

function enterSlots(text: string): void {
  const condition = readConditionAnswer({ decision: text, summary: text });
  if (!condition.ok) isFailure(condition.failure);
  const body = readBodyAnswer({ state: text, summary: text }, "");
  if (!body.ok) isFailure(body.failure);
  const agent = readAgentAnswer(text, ["verdict", "constructor"]);
  if (!agent.ok) isFailure(agent.failure);
}

function enterJson(text: string): void {
  const scanned = scan(text);
  if (!scanned.ok) return must(scanned.error.message !== "", "a refusal says why");
  must(parses(text), "what the policy takes is JSON");
  const again = scan(scanned.text);
  must(again.ok && again.text === scanned.text, "compacting twice changes nothing");
  must(Buffer.byteLength(scanned.text) === scanned.bytes, "the size is the text's");
  const written = canonical(scanned.text);
  must(canonical(written) === written, "the canonical form is its own");
}

const caps = { maxIterations: 1000, maxTimeoutMs: 604_800_000 };

function enterLint(ir: Ir): void {
  const findings = lint(ir, { registry: defaultRegistry, caps });
  for (const { code, message } of findings)
    must(/^D\d\d$/.test(code) && message !== "", "findings have a code and a text");
  const written = roundTrip(ir);
  must(written.ok || written.message !== "", "an IR that has no file says why");
}

function enterDsl(text: string): void {
  const { ir, findings } = parseFlow({ text, files: new Map() });
  for (const { code, message, line } of findings)
    must(
      /^D\d\d$/.test(code) && message !== "" && (line ?? 1) >= 1,
      "findings have a code, a text and a place",
    );
  if (ir === null || findings.some(({ severity }) => severity === "error")) return;
  must(irSchema.safeParse(ir).success, "an IR without errors fits its schema");
  enterLint(ir);
}

function enterIr(text: string): void {
  const checked = irSchema.safeParse(JSON.parse(text));
  if (checked.success) enterLint(checked.data);
}

const scope = loopScope({
  state: '{"a":[1,"x",null,{"b":2}],"n":7,"t":"text"}',
  input: '"in"',
  iteration: 3,
  last: null,
  itemVariable: "item",
  succeeded: 2,
});

function enterExpression(text: string): void {
  const parsed = parseExpression(text);
  if (!parsed.ok) must(parsed.problem.message !== "", "a refusal says why");
  else {
    const result = evaluate(parsed.expression, scope.values, { maxSteps: 100_000 });
    must(result.ok || result.reason !== "", "what has no value says why");
  }
  const parameter = resolveParameter(JSON.stringify(text), scope);
  if (!parameter.ok) isFailure(parameter.failure);
  else must(scan(parameter.text).ok, "a parameter is JSON under the policy");
}

function enterOperation(text: string): void {
  const reading = readWhileOperation(text);
  if (!reading.ok) return isFailure(reading.failure);
  must(irSchema.safeParse(reading.ir).success, "an operation becomes an IR that fits its schema");
  enterLint(reading.ir);
}

const randomFlow = fc.gen().map((draw) => writeFlow(draw, 4));
const goodIrs = goodFlows
  .map((text) => parseFlow({ text, files: new Map() }).ir)
  .filter((ir) => ir !== null) as unknown as Parameters<typeof mutatedJson>[0];

/** All doors but the API's. */
export const doors: readonly Door[] = [
  {
    name: "stdout",
    share: 0.25,
    input: fc.oneof(
      { weight: 5, arbitrary: mutated(fc.constantFrom(...goodAnswers), WORDS) },
      fc.string({ unit: "binary" }),
    ),
    enter: enterStdout,
  },
  { name: "slots", share: 0.1, input: mutated(fc.constantFrom(...goodAnswers), WORDS), enter: enterSlots },
  {
    name: "json",
    share: 0.2,
    input: fc.oneof(mutated(fc.json({ stringUnit: "binary" })), fc.json({ maxDepth: 6 })),
    enter: enterJson,
  },
  {
    name: "dsl",
    share: 0.12,
    input: fc.oneof(
      { weight: 4, arbitrary: mutated(fc.constantFrom(...goodFlows), WORDS) },
      mutated(randomFlow, WORDS),
    ),
    enter: enterDsl,
  },
  { name: "ir", share: 0.08, input: mutatedJson(goodIrs), enter: enterIr },
  {
    name: "expression",
    share: 0.15,
    input: mutated(fc.constantFrom(...goodExpressions), WORDS),
    enter: enterExpression,
  },
  {
    name: "operation",
    share: 0.05,
    input: fc.oneof(
      mutatedJson(goodOperations),
      mutated(fc.constantFrom(...goodOperations.map((value) => JSON.stringify(value)))),
    ),
    enter: enterOperation,
  },
];
