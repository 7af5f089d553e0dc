import {
  applyOutputMapping,
  decideByExpression,
  failure,
  loopScope,
  members,
  parseExpression,
  readOutputMapping,
  resolveParameter,
  scan,
  unevaluable,
} from "@agentflow/core";
import type { Failure, LoopForm, LoopScope, Operation } from "@agentflow/core";
import type { IterationEnd, IterationWork } from "../run-iteration.ts";
import { runSubflow } from "../run-subflow.ts";
import { failed } from "../step-context.ts";
import type { StepContext } from "../step-context.ts";
import { runAction, runPrompt, runSubAgent } from "./operation-step.ts";
import { subflowInputs, subflowJson } from "./values.ts";
import type { OperationEnd } from "./values.ts";

type OperationForm = Extract<LoopForm, { kind: "operation" }>;

/**
 * One iteration of an operation loop: the expression decides (OP-1), the operation runs with its parameters resolved (OP-2, OP-5),
 * the mapping makes the next state of a copy of the old one (OP-4). Errors of the operation and the mapping are tolerable (O-2).
 */
export async function runOperation(
  context: StepContext,
  work: IterationWork,
  { expression, operation }: OperationForm,
): Promise<IterationEnd> {
  const scope = scopeOf(work);
  if (!scope.ok) return failed(scope.failure);
  const parsed = parseExpression(expression);
  if (!parsed.ok) return failed(unevaluable(expression, parsed.problem.message));
  const verdict = decideByExpression(parsed.expression, scope.scope.values);
  if (!verdict.ok) return failed(verdict.failure);
  if (verdict.decision === "done")
    return { kind: "answered", answer: { decision: "done", state: null, summary: "", idle: true } };
  const mapping = readOutputMapping(work.inputs.get("outputMapping") ?? "");
  if (!mapping.ok) return failed(mapping.failure);

  const end = await perform(context, work, operation, scope.scope);
  // An expression among the parameters is no error of the operation (O-2).
  if (end.kind === "failed" && end.failure.code !== "condition_unevaluable")
    return { ...end, tolerable: true };
  if (end.kind !== "result") return end;
  const { state } = work.checkpoint;
  const applied = applyOutputMapping(mapping.mapping, end.text, state);
  if (!applied.ok) return { ...failed(applied.failure), tolerable: true };
  const { warnings } = applied;
  return {
    kind: "answered",
    answer: {
      decision: "continue",
      state: applied.state === state ? null : applied.state,
      summary: "",
      last: end.text,
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

async function perform(
  context: StepContext,
  work: IterationWork,
  operation: Operation,
  scope: LoopScope,
): Promise<OperationEnd> {
  const resolve = (text: string) => resolveParameter(text, scope);
  switch (operation.kind) {
    case "action": {
      if (context.plan.version.ir.subflows[operation.name] === undefined)
        return runAction(context, work, operation, resolve);
      const params = resolve(operation.params);
      return params.ok ? callSubflow(context, work, operation.name, params.text) : failed(params.failure);
    }
    case "prompt":
      return runPrompt(context, work, operation, resolve);
    case "subAgent":
      return runSubAgent(context, work, operation, resolve);
  }
}

async function callSubflow(
  context: StepContext,
  work: IterationWork,
  id: string,
  params: string,
): Promise<OperationEnd> {
  const { checkpoint, loop, key, resume } = work;
  const iteration = checkpoint.nextIteration;
  const given = new Map([
    ["state", checkpoint.state],
    ["iteration", String(iteration)],
    ["idempotencyKey", key],
    ["resume", resume ?? ""],
    ["context", work.inputs.get("context") ?? ""],
  ]);
  const inputs = subflowInputs(context, id, members(params), given);
  const end = await runSubflow(context, id, inputs, { node: loop, role: "operation", iteration });
  return end.kind === "outputs" ? { kind: "result", text: subflowJson(context, id, end.outputs) } : end;
}

type ScopeReading =
  | { readonly ok: true; readonly scope: LoopScope }
  | { readonly ok: false; readonly failure: Failure };

/** What expressions of this iteration see (O-5, OP-5, OP-6). */
function scopeOf({ checkpoint, inputs }: IterationWork): ScopeReading {
  const given = inputs.get("input") ?? "";
  const input = given.trim() === "" ? null : scan(given);
  if (input?.ok === false)
    return {
      ok: false,
      failure: failure("config_invalid", `The input is not JSON: ${input.error.message}.`),
    };
  const itemVariable = (inputs.get("itemVariable") ?? "").trim() || "attempt";
  const { state, nextIteration, last, succeeded } = checkpoint;
  const moment = {
    state,
    input: input?.text ?? "{}",
    iteration: nextIteration,
    last,
    itemVariable,
    succeeded,
  };
  return { ok: true, scope: loopScope(moment) };
}
