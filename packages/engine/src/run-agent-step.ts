import { composePrompt, failure, inputType, ownEntry, readAgentAnswer } from "@agentflow/core";
import type { SlotValues } from "@agentflow/core";
import { contentFor } from "./context/content.ts";
import { decodedOutput, readCommandOutcome } from "./command-outcome.ts";
import type { AgentOutcome, TokenUsage } from "./ports/agent.ts";
import type { ContextContent } from "./ports/context.ts";
import type { CommandPlace } from "./ports/runtime.ts";
import { placeConstants } from "./run-command-step.ts";
import type { NodeEnd, NodeVisit } from "./run-node.ts";
import { keepLog } from "./step-log.ts";
import { failed, remainingMs } from "./step-context.ts";
import type { StepContext, Stop } from "./step-context.ts";

const NOT_CONFIGURED =
  "No agent runner is configured. Set AGENTFLOW_AGENT_RUNNER on the workers: to openai, with AGENTFLOW_AGENT_BASE_URL and " +
  "AGENTFLOW_AGENT_MODEL, for a model behind an OpenAI-compatible API, or to command, with AGENTFLOW_AGENT_COMMAND, for a coding agent.";

/** Runs an `agent.subAgent` node: its prompt is done by the operator's runner, its answer becomes the outputs (F-26 to F-28). */
export async function runAgentStep(context: StepContext, visit: NodeVisit): Promise<NodeEnd> {
  const { deps, plan, claim, lease } = context;
  const { agents } = deps.resources;
  if (agents === null) return failed(failure("agent_not_configured", NOT_CONFIGURED));
  const found = await contentFor(context, visit.id, visit.inputs);
  if (found.kind !== "content") return found;
  const place = await deps.runner.open(plan.version.bundleDigest);
  try {
    const prompt = await promptOf(context, visit, place, found.content);
    if (typeof prompt !== "string") return prompt;
    const deadlineMs = remainingMs(context);
    if (deadlineMs === 0) return { kind: "deadline", owner: context.deadline?.owner ?? "" };
    const marker = `${claim.runId}_${claim.token}`;
    const request = { prompt, content: found.content, place, deadlineMs, marker };
    return await readEnd(context, visit.id, await agents.run(request, lease.signal));
  } finally {
    await place.close();
  }
}

async function promptOf(
  context: StepContext,
  visit: NodeVisit,
  place: CommandPlace,
  content: ContextContent | null,
): Promise<string | Stop> {
  const { ir } = context.plan.version;
  const node = ir.nodes[visit.id]!;
  const text = node.bodyRef === null ? node.body : await place.readText(node.bodyRef);
  if (text === null && node.bodyRef !== null)
    return failed(
      failure("config_invalid", `The flow folder has no prompt ${node.bodyRef}, or it is no text.`),
    );
  const isContext = (slot: string) => inputType(ir, context.plan.registry, visit.id, slot) === "context";
  const rendered = composePrompt({
    text: text ?? "",
    inputs: new Map([...visit.inputs].filter(([slot]) => !isContext(slot))),
    constants: placeConstants(context, visit.id, place, content),
    outputs: freeOutputs(context, visit.id),
  });
  return rendered.ok ? rendered.prompt : failed(rendered.failure);
}

/** Outputs the author declared beside the definition's own (F-6). */
function freeOutputs({ plan }: StepContext, id: string): readonly string[] {
  const { outputs } = plan.definition(id);
  return Object.keys(plan.version.ir.nodes[id]!.outputs).filter(
    (slot) => ownEntry(outputs, slot) === undefined,
  );
}

async function readEnd(context: StepContext, id: string, outcome: AgentOutcome): Promise<NodeEnd> {
  switch (outcome.kind) {
    case "answered":
      return answered(context, id, outcome.answer, outcome.usage);
    case "command": {
      if ((await keepLog(context, id, outcome.outcome)) === "stale") return { kind: "stale" };
      const end = readCommandOutcome(context, outcome.outcome);
      if (end.kind !== "output") return end;
      const text = decodedOutput(end);
      return typeof text === "string" ? answered(context, id, text, null) : text;
    }
    case "failed":
      return failed(failure("agent_failed", outcome.message));
    case "timed_out":
      return { kind: "deadline", owner: context.deadline?.owner ?? "" };
    case "aborted":
      return { kind: "aborted" };
  }
}

function answered(context: StepContext, id: string, answer: string, usage: TokenUsage | null): NodeEnd {
  const read = readAgentAnswer(answer, freeOutputs(context, id));
  if (!read.ok) return failed(read.failure);
  const outputs: SlotValues = read.outputs;
  return { kind: "done", outputs, exit: null, pure: false, ...(usage === null ? {} : { usage }) };
}
