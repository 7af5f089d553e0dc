import { failure, inputType, objectText, quote, renderCommand, scriptCommand } from "@agentflow/core";
import type { Failure, SlotValues } from "@agentflow/core";
import { decodedOutput, readCommandOutcome } from "./command-outcome.ts";
import type { CommandOutput } from "./command-outcome.ts";
import { contentFor } from "./context/content.ts";
import type { ContextContent } from "./ports/context.ts";
import type { CommandPlace, CommandStep } from "./ports/runtime.ts";
import type { NodeEnd, NodeVisit } from "./run-node.ts";
import { maskSecrets, secretsOf } from "./secrets.ts";
import type { Secrets } from "./secrets.ts";
import { keepLog } from "./step-log.ts";
import { failed, remainingMs } from "./step-context.ts";
import type { StepContext, Stop } from "./step-context.ts";

/** Variables a step hands over, beside the ones every command gets. */
export type CommandInputs = Pick<CommandStep, "env" | "files">;

/** Runs a `tool.nodejs` node: trimmed stdout is its `result` (2-flows 2.7). */
export async function runCommandStep(context: StepContext, visit: NodeVisit): Promise<NodeEnd> {
  const found = secretsOf(context, visit.id, visit.inputs);
  if (!found.ok) return failed(found.failure);
  const { secrets } = found;
  const files = { AGENTFLOW_INPUTS_JSON: inputsFile(context, visit, secrets) };
  const end = await runCommand(context, visit.id, visit.inputs, { env: {}, files }, secrets);
  if (end.kind !== "output") return end;
  const text = decodedOutput(end);
  if (typeof text !== "string") return text;
  return { kind: "done", outputs: new Map([["result", text.trim()]]), exit: null, pure: false };
}

/**
 * Runs the script or scriptRef of a node in a fresh place, with the frame's deadline and the lease's signal. A context reaches it as
 * a private file (F-7); secrets it prints are masked.
 */
export async function runCommand(
  context: StepContext,
  id: string,
  slots: SlotValues,
  inputs: CommandInputs,
  secrets: Secrets = new Map(),
): Promise<CommandOutput | Stop> {
  const { deps, plan, claim, lease } = context;
  const found = await contentFor(context, id, slots);
  if (found.kind !== "content") return found;
  const place = await deps.runner.open(plan.version.bundleDigest);
  try {
    const shown = [...slots].filter(([slot]) => !secrets.has(slot) && !isContext(context, id, slot));
    const rendered = render(context, id, new Map(shown), placeConstants(context, id, place, found.content));
    if (!rendered.ok) return failed(rendered.failure);
    const deadlineMs = remainingMs(context);
    if (deadlineMs === 0) return { kind: "deadline", owner: context.deadline?.owner ?? "" };
    const marker = `${claim.runId}_${claim.token}`;
    const files = { ...inputs.files, ...contextFile(found.content) };
    const step = { command: rendered.command, env: inputs.env, files, deadlineMs, marker };
    const outcome = maskSecrets(await place.run(step, lease.signal), secrets);
    if ((await keepLog(context, id, outcome)) === "stale") return { kind: "stale" };
    return readCommandOutcome(context, outcome, new Map(shown));
  } finally {
    await place.close();
  }
}

/** Values of the placeholders that every step has (F-22). */
export function placeConstants(
  context: StepContext,
  id: string,
  { flowDir, nodeRunDir, nodeTmpDir, outputsDir }: CommandPlace,
  content: ContextContent | null,
): ReadonlyMap<string, string> {
  const { scriptRef } = context.plan.version.ir.nodes[id]!;
  return new Map([
    ["flowDir", flowDir],
    ["workspaceRoot", content?.workspace?.path ?? context.deps.workspaceRoot ?? flowDir],
    ["cwd", nodeRunDir],
    ["nodeRunDir", nodeRunDir],
    ["nodeTmpDir", nodeTmpDir],
    ["outputsDir", outputsDir],
    ["scriptRef", scriptRef === null ? "" : `${flowDir}/${scriptRef}`],
  ]);
}

/** `AGENTFLOW_CONTEXT_FILE` (F-7): what the context stands for, without credentials, in a private file that goes with the step. */
function contextFile(content: ContextContent | null): CommandStep["files"] {
  if (content === null) return {};
  return {
    AGENTFLOW_CONTEXT: { fileName: "context.json", text: JSON.stringify(content), alsoEnv: false },
  };
}

function isContext(context: StepContext, id: string, slot: string): boolean {
  return inputType(context.plan.version.ir, context.plan.registry, id, slot) === "context";
}

function render(
  context: StepContext,
  id: string,
  slots: SlotValues,
  constants: ReadonlyMap<string, string>,
): { ok: true; command: string } | { ok: false; failure: Failure } {
  const node = context.plan.version.ir.nodes[id]!;
  // Inputs win over constants in the author's text, but never choose which script file runs.
  if (node.scriptRef !== null) return renderCommand(scriptCommand(node.scriptRef), constants);
  if (node.script === null || node.script.trim() === "") {
    return { ok: false, failure: failure("config_invalid", "The node has no command.") };
  }
  return renderCommand(node.script, new Map([...constants, ...slots]));
}

/**
 * `AGENTFLOW_INPUTS_JSON` (F-24): json slots as JSON values, context slots left out, everything else as text. With a secret
 * among them it is handed over as the private file only: an environment is too easily printed or inherited.
 */
export function inputsFile(
  context: StepContext,
  visit: Pick<NodeVisit, "id" | "inputs">,
  secrets: Secrets = new Map(),
): CommandStep["files"][string] {
  const { ir } = context.plan.version;
  const entries: [string, string][] = [];
  for (const [slot, value] of visit.inputs) {
    const type = inputType(ir, context.plan.registry, visit.id, slot);
    if (type === "context") continue;
    const secret = secrets.get(slot);
    if (secret !== undefined) {
      entries.push([slot, quote(secret.value)]);
      continue;
    }
    const blank = value.trim() === "";
    entries.push([slot, type === "json" ? (blank ? "null" : value) : quote(value)]);
  }
  const file = smallInEnv("inputs.json", objectText(entries));
  return secrets.size === 0 ? file : { ...file, alsoEnv: false };
}

/** A value as private file, and in the environment too while it is short enough for Linux (L-23). */
export function smallInEnv(fileName: string, text: string): CommandStep["files"][string] {
  return { fileName, text, alsoEnv: true };
}
