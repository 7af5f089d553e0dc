import { loopForm, readBodyAnswer, readConditionAnswer, readScriptAnswer, saysTrue } from "@agentflow/core";
import type { Answer, Checkpoint, SlotValues } from "@agentflow/core";
import { runOperation } from "./forms/operation.ts";
import { runRepeat } from "./forms/repeat.ts";
import { inputsFile, runCommand, smallInEnv } from "./run-command-step.ts";
import type { CommandInputs } from "./run-command-step.ts";
import { callFunction } from "./run-function-step.ts";
import { runSubflow } from "./run-subflow.ts";
import { failed, remainingMs } from "./step-context.ts";
import type { StepContext, Stop } from "./step-context.ts";

/** One iteration about to run. `state` of the answer null means unchanged. */
export type IterationWork = {
  readonly loop: string;
  readonly checkpoint: Checkpoint;
  readonly inputs: SlotValues;
  readonly key: string;
  /** Payload of the resume this iteration follows, exact text; null without one (L-40). */
  readonly resume: string | null;
};

export type IterationEnd = { readonly kind: "answered"; readonly answer: Answer } | Stop;

/** Does the work of one iteration by the loop's one source of decisions (L-5) and reads its answer. */
export async function runIteration(context: StepContext, work: IterationWork): Promise<IterationEnd> {
  const node = context.plan.version.ir.nodes[work.loop]!;
  const read = loopForm(node);
  if (!read.ok) return failed(read.failure);
  if (read.form.kind === "repeat") return runRepeat(context, work, read.form.child);
  if (read.form.kind === "operation") return runOperation(context, work, read.form);
  const { condition, body } = node.attributes;
  if (condition !== undefined && body !== undefined)
    return runConditionAndBody(context, work, condition, body);
  return saysTrue(node, "warm") ? runWarmScript(context, work) : runScript(context, work);
}

async function runConditionAndBody(
  context: StepContext,
  work: IterationWork,
  condition: string,
  body: string,
): Promise<IterationEnd> {
  const { checkpoint, loop } = work;
  const iteration = checkpoint.nextIteration;
  const inputs = new Map([
    ["state", checkpoint.state],
    ["iteration", String(iteration)],
    ["idempotencyKey", work.key],
    ["resume", work.resume ?? ""],
    ["context", work.inputs.get("context") ?? ""],
  ]);
  const judged = await runSubflow(context, condition, inputs, { node: loop, role: "condition", iteration });
  if (judged.kind !== "outputs") return judged;
  const verdict = readConditionAnswer({
    decision: judged.outputs.get("decision") ?? "",
    summary: judged.outputs.get("summary"),
  });
  if (!verdict.ok) return failed(verdict.failure);
  const { decision, summary } = verdict.answer;
  if (decision !== "continue")
    return { kind: "answered", answer: { decision, state: null, summary, idle: true } };

  const done = await runSubflow(context, body, inputs, { node: loop, role: "body", iteration });
  if (done.kind === "failed") return { ...done, tolerable: true };
  if (done.kind !== "outputs") return done;
  const step = readBodyAnswer(
    { state: done.outputs.get("state") ?? "", summary: done.outputs.get("summary") },
    summary,
  );
  if (!step.ok) return failed(step.failure);
  return {
    kind: "answered",
    answer: { decision, state: changed(checkpoint, step.answer.state), summary: step.answer.summary },
  };
}

async function runScript(context: StepContext, work: IterationWork): Promise<IterationEnd> {
  const { checkpoint } = work;
  const slots = new Map([...work.inputs, ["state", checkpoint.state]]);
  const end = await runCommand(context, work.loop, slots, scriptInputs(context, work));
  return end.kind === "output" ? scriptAnswer(checkpoint, end.stdout) : ofWork(end);
}

/** The script stays loaded: what its function returns is read as a command's stdout would be. */
async function runWarmScript(context: StepContext, work: IterationWork): Promise<IterationEnd> {
  const end = await callFunction(context, work.loop, ownInputs(work));
  return end.kind === "result" ? scriptAnswer(work.checkpoint, end.bytes) : ofWork(end);
}

/** A script that fails is tolerable; an answer that cannot be read breaks the contract, and is not (O-2). */
function ofWork(end: Stop): Stop {
  return end.kind === "failed" ? { ...end, tolerable: true } : end;
}

function scriptAnswer(checkpoint: Checkpoint, stdout: Uint8Array): IterationEnd {
  const read = readScriptAnswer(stdout, checkpoint.state);
  if (!read.ok) return failed(read.failure);
  const { decision, state, summary } = read.answer;
  return { kind: "answered", answer: { decision, state: changed(checkpoint, state), summary } };
}

/** The environment of a loop's script (L-22, L-23). */
function scriptInputs(context: StepContext, work: IterationWork): CommandInputs {
  const { loop, checkpoint, key, resume } = work;
  return {
    env: {
      AGENTFLOW_WHILE_ITERATION: String(checkpoint.nextIteration),
      AGENTFLOW_WHILE_MAX_ITERATIONS: String(checkpoint.maxIterations),
      AGENTFLOW_WHILE_TIMEOUT_MS: String(checkpoint.timeoutMs),
      AGENTFLOW_WHILE_REMAINING_MS: String(remainingMs(context) ?? checkpoint.timeoutMs),
      AGENTFLOW_WHILE_IDEMPOTENCY_KEY: key,
    },
    files: {
      AGENTFLOW_INPUTS_JSON: inputsFile(context, { id: loop, inputs: ownInputs(work) }),
      AGENTFLOW_WHILE_STATE: smallInEnv("state.json", checkpoint.state),
      ...(resume === null ? {} : { AGENTFLOW_WHILE_RESUME: smallInEnv("resume.json", resume) }),
    },
  };
}

/** The loop's inputs as its script sees them: options that nobody set, and how the script is run, are not among them. */
function ownInputs({ inputs }: IterationWork): SlotValues {
  return new Map([...inputs].filter(([slot, value]) => value.trim() !== "" && slot !== "warm"));
}

function changed(checkpoint: Checkpoint, state: string): string | null {
  return state === checkpoint.state ? null : state;
}
