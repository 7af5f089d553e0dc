import { decodeUtf8Strict, failure } from "@agentflow/core";
import type { Failure, SlotValues } from "@agentflow/core";
import { stderrTail } from "./command-outcome.ts";
import { contentFor } from "./context/content.ts";
import type { FunctionOutcome } from "./ports/function.ts";
import { inputsFile } from "./run-command-step.ts";
import type { NodeEnd, NodeVisit } from "./run-node.ts";
import { maskSecrets, secretsOf } from "./secrets.ts";
import type { Secrets } from "./secrets.ts";
import { keepLog } from "./step-log.ts";
import { failed, remainingMs } from "./step-context.ts";
import type { StepContext, Stop } from "./step-context.ts";

/** What a function returned: text as it is, everything else as JSON; at most 1 MiB. */
export type FunctionResult = { readonly kind: "result"; readonly bytes: Uint8Array };

/** Runs a `tool.function` node: what its module's default export returns is the `result`. */
export async function runFunctionStep(context: StepContext, visit: NodeVisit): Promise<NodeEnd> {
  const found = secretsOf(context, visit.id, visit.inputs);
  if (!found.ok) return failed(found.failure);
  const { outside } = context.plan.definition(visit.id);
  const inputs = new Map([...visit.inputs].filter(([slot]) => slot !== outside));
  const end = await callFunction(context, visit.id, inputs, found.secrets);
  if (end.kind !== "result") return end;
  const result = decodeUtf8Strict(end.bytes);
  if (result === null) return failed(failure("stdout_not_utf8", "The function's result is not valid UTF-8."));
  return { kind: "done", outputs: new Map([["result", result]]), exit: null, pure: false };
}

/**
 * Calls the function of a node in a warm process of its flow version, with the frame's deadline and the lease's signal. State,
 * iteration and key are those of the innermost loop around it. Secrets in what it returns or logs are masked.
 */
export async function callFunction(
  context: StepContext,
  id: string,
  slots: SlotValues,
  secrets: Secrets = new Map(),
): Promise<FunctionResult | Stop> {
  const { deps, plan, lease, turn } = context;
  const file = plan.version.ir.nodes[id]?.scriptRef ?? null;
  if (file === null) return failed(failure("config_invalid", "The node names no file with a function."));
  const found = await contentFor(context, id, slots);
  if (found.kind !== "content") return found;
  const deadlineMs = remainingMs(context);
  if (deadlineMs === 0) return { kind: "deadline", owner: context.deadline?.owner ?? "" };
  const { id: flowVersionId, bundleDigest } = plan.version;
  const given = await deps.runner.call(
    { flowVersionId, bundleDigest },
    {
      file,
      inputs: inputsFile(context, { id, inputs: slots }, secrets).text,
      state: turn?.state ?? null,
      iteration: turn?.iteration ?? null,
      idempotencyKey: turn?.idempotencyKey ?? null,
      resume: turn?.resume ?? null,
      context: found.content === null ? null : JSON.stringify(found.content),
      maxIterations: turn?.maxIterations ?? null,
      deadlineMs,
    },
    lease.signal,
  );
  const outcome = maskSecrets(given, secrets);
  if ((await keepLog(context, id, outcome)) === "stale") return { kind: "stale" };
  return readFunctionOutcome(context, file, outcome);
}

function readFunctionOutcome(
  context: StepContext,
  file: string,
  outcome: FunctionOutcome,
): FunctionResult | Stop {
  switch (outcome.kind) {
    case "returned":
      return { kind: "result", bytes: outcome.stdout };
    case "threw":
      return failed(functionFailure(`The function of ${file} threw ${outcome.message}`, outcome.stderr));
    case "no_function":
      return failed(functionFailure(`${file} could not be loaded: ${outcome.message}`, outcome.stderr));
    case "not_json":
      return failed(
        functionFailure(
          `The result of ${file} cannot be written as JSON: ${outcome.message}`,
          outcome.stderr,
        ),
      );
    case "died":
      return failed(diedFailure(file, outcome));
    case "too_large":
      return failed(
        failure(
          outcome.stream === "stdout" ? "stdout_too_large" : "stderr_too_large",
          outcome.stream === "stdout"
            ? `The function of ${file} returned more than ${outcome.limitBytes} bytes; its process was killed.`
            : `The function of ${file} logged more than ${outcome.limitBytes} bytes and was killed.`,
          { limitBytes: outcome.limitBytes, stderrTail: stderrTail(outcome.stderr) },
        ),
      );
    case "timed_out":
      return { kind: "deadline", owner: context.deadline?.owner ?? "" };
    case "aborted":
      return { kind: "aborted" };
    case "spawn_failed":
      return outcome.cause === "no_resources"
        ? { kind: "infrastructure", message: outcome.message }
        : failed(failure("spawn_failed", `The function's process could not be started: ${outcome.message}`));
  }
}

function functionFailure(what: string, stderr: string): Failure {
  return failure("function_failed", what, { stderrTail: stderrTail(stderr) });
}

function diedFailure(
  file: string,
  { exitCode, signal, stderr }: Extract<FunctionOutcome, { kind: "died" }>,
): Failure {
  const how =
    signal !== null
      ? `was killed by ${signal}`
      : exitCode !== null
        ? `exited with code ${exitCode}`
        : "answered with something else and was killed";
  const end = stderrTail(stderr).trim().slice(-500);
  const said = end === "" ? "It logged nothing." : `Its log ends: ${end}`;
  return failure("exit_nonzero", `The process of ${file} ${how} in the middle of a call. ${said}`, {
    exitCode,
    signal,
    stderrTail: stderrTail(stderr),
  });
}
