import {
  decodeUtf8Strict,
  failure,
  inputType,
  objectText,
  quote,
  renderCommand,
  scriptCommand,
} from "@agentflow/core";
import type { Failure, SlotValues } from "@agentflow/core";
import { readCommandOutcome } from "./command-outcome.ts";
import type { CommandOutput } from "./command-outcome.ts";
import type { CommandPlace, CommandStep } from "./ports/runtime.ts";
import type { NodeEnd, NodeVisit } from "./run-node.ts";
import { failed, remainingMs } from "./step-context.ts";
import type { StepContext, Stop } from "./step-context.ts";

/** Variables a step hands over, beside the ones every command gets. */
export type CommandInputs = Pick<CommandStep, "env" | "files">;

/** Runs a `tool.nodejs` node: trimmed stdout is its `result` (2-flows 2.7). */
export async function runCommandStep(context: StepContext, visit: NodeVisit): Promise<NodeEnd> {
  const inputs: CommandInputs = { env: {}, files: { AGENTFLOW_INPUTS_JSON: inputsFile(context, visit) } };
  const end = await runCommand(context, visit.id, visit.inputs, inputs);
  if (end.kind !== "output") return end;
  const text = decodeUtf8Strict(end.stdout);
  if (text === null) return failed(failure("stdout_not_utf8", "The command's stdout is not valid UTF-8."));
  return { kind: "done", outputs: new Map([["result", text.trim()]]), exit: null, pure: false };
}

/** Runs the script or scriptRef of a node in a fresh place, with the frame's deadline and the lease's signal. */
export async function runCommand(
  context: StepContext,
  id: string,
  slots: SlotValues,
  inputs: CommandInputs,
): Promise<CommandOutput | Stop> {
  const { deps, plan, claim, lease } = context;
  const place = await deps.runner.open(plan.version.bundleDigest);
  try {
    const rendered = render(context, id, slots, place);
    if (!rendered.ok) return failed(rendered.failure);
    const deadlineMs = remainingMs(context);
    if (deadlineMs === 0) return { kind: "deadline", owner: context.deadline?.owner ?? "" };
    const marker = `${claim.runId}_${claim.token}`;
    const outcome = await place.run(
      { command: rendered.command, ...inputs, deadlineMs, marker },
      lease.signal,
    );
    return readCommandOutcome(context, outcome);
  } finally {
    await place.close();
  }
}

function render(
  context: StepContext,
  id: string,
  slots: SlotValues,
  place: CommandPlace,
): { ok: true; command: string } | { ok: false; failure: Failure } {
  const node = context.plan.version.ir.nodes[id]!;
  const { flowDir, nodeRunDir, nodeTmpDir, outputsDir } = place;
  const constants = [
    ["flowDir", flowDir],
    ["workspaceRoot", context.deps.workspaceRoot ?? flowDir],
    ["cwd", nodeRunDir],
    ["nodeRunDir", nodeRunDir],
    ["nodeTmpDir", nodeTmpDir],
    ["outputsDir", outputsDir],
    ["scriptRef", node.scriptRef === null ? "" : `${flowDir}/${node.scriptRef}`],
  ] as const;
  // Inputs win over constants in the author's text, but never choose which script file runs.
  if (node.scriptRef !== null) return renderCommand(scriptCommand(node.scriptRef), new Map(constants));
  if (node.script === null || node.script.trim() === "") {
    return { ok: false, failure: failure("config_invalid", "The node has no command.") };
  }
  return renderCommand(node.script, new Map([...constants, ...slots]));
}

/** `AGENTFLOW_INPUTS_JSON` (F-24): json slots as JSON values, context slots left out, everything else as text. */
function inputsFile(context: StepContext, visit: NodeVisit): CommandStep["files"][string] {
  const { ir } = context.plan.version;
  const entries: [string, string][] = [];
  for (const [slot, value] of visit.inputs) {
    const type = inputType(ir, context.plan.registry, visit.id, slot);
    if (type === "context") continue;
    const blank = value.trim() === "";
    entries.push([slot, type === "json" ? (blank ? "null" : value) : quote(value)]);
  }
  return smallInEnv("inputs.json", objectText(entries));
}

/** A value as private file, and in the environment too while it is short enough for Linux (L-23). */
export function smallInEnv(fileName: string, text: string): CommandStep["files"][string] {
  return { fileName, text, alsoEnv: true };
}
