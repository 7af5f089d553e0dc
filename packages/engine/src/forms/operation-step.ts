import {
  actionTypeProblem,
  failure,
  inputSlotText,
  members,
  mergeReferences,
  noReferences,
  objectText,
  ownEntry,
  promptFile,
  readReferences,
  referencesText,
  TEXT_PARAMETERS,
} from "@agentflow/core";
import type {
  ContextReferences,
  IrNode,
  NodeDefinition,
  Operation,
  ResolvedParameter,
  SlotType,
} from "@agentflow/core";
import type { FlowPlan } from "../plan.ts";
import type { IterationWork } from "../run-iteration.ts";
import { runNode } from "../run-node.ts";
import { failed } from "../step-context.ts";
import type { StepContext } from "../step-context.ts";
import { resultOf, slotJson } from "./values.ts";
import type { OperationEnd } from "./values.ts";

type Resolve = (text: string) => ResolvedParameter;
type Of<K extends Operation["kind"]> = Extract<Operation, { kind: K }>;

/** A node that stands in no flow: its type, its text, and its inputs as JSON texts by slot. */
type LooseNode = {
  readonly type: string;
  readonly text?: Partial<Pick<IrNode, "script" | "scriptRef" | "body" | "bodyRef">>;
  readonly inputs: ReadonlyMap<string, string>;
  /** Text of its context slot. */
  readonly context: string;
};

/** Runs a registered node type as the operation; its command or prompt is taken as it is written (F-22). */
export async function runAction(
  context: StepContext,
  work: IterationWork,
  { name, params }: Of<"action">,
  resolve: Resolve,
): Promise<OperationEnd> {
  const definition = context.plan.registry.find(name);
  if (!definition)
    return failed(failure("config_invalid", `The action ${name} is neither a subflow nor a node type.`));
  const problem = actionTypeProblem(definition);
  if (problem !== null) return failed(failure("config_invalid", `The action ${name} ${problem}.`));
  const verbatim = TEXT_PARAMETERS[definition.text];
  const given = members(params);
  const resolved = resolve(objectText([...given].filter(([key]) => !verbatim.includes(key))));
  if (!resolved.ok) return failed(resolved.failure);
  const text = Object.fromEntries(
    verbatim.flatMap((key) => (given.has(key) ? [[key, inputSlotText("text", given.get(key) ?? "")]] : [])),
  );
  return runLoose(context, work, {
    type: definition.type,
    text,
    inputs: members(resolved.text),
    context: work.inputs.get("context") ?? "",
  });
}

/** One model call with a prompt of the bundle, nothing around it (OP-2). */
export async function runPrompt(
  context: StepContext,
  work: IterationWork,
  { name, templateParameters }: Of<"prompt">,
  resolve: Resolve,
): Promise<OperationEnd> {
  const parameters = resolve(templateParameters);
  if (!parameters.ok) return failed(parameters.failure);
  const text = { bodyRef: promptFile(name) };
  const inputs = members(parameters.text);
  return runLoose(context, work, { type: AGENT, text, inputs, context: "" });
}

/** An agent with the instructions of a skill and other entries of the operator's catalogue (OP-2). */
export async function runSubAgent(
  context: StepContext,
  work: IterationWork,
  { name, message, templateParameters, context: entries }: Of<"subAgent">,
  resolve: Resolve,
): Promise<OperationEnd> {
  const said = resolve(message);
  if (!said.ok) return failed(said.failure);
  const parameters = resolve(templateParameters);
  if (!parameters.ok) return failed(parameters.failure);
  const references = await referencesOf(context, work, [name, ...entries]);
  if (typeof references === "string") return failed(failure("config_invalid", references));
  const inputs = members(parameters.text);
  // The message is data: what came out of the state must not be read as a placeholder.
  const task = inputSlotText("text", said.text);
  const text = task.trim() === "" ? {} : { body: "${subAgentMessage}" };
  if (task.trim() !== "") inputs.set("subAgentMessage", said.text);
  return runLoose(context, work, { type: AGENT, text, inputs, context: referencesText(references) });
}

const AGENT = "agent.subAgent";

/** The references of catalogue entries by their names, with those wired to the loop; a sentence when that cannot be. */
async function referencesOf(
  { deps }: StepContext,
  work: IterationWork,
  names: readonly string[],
): Promise<ContextReferences | string> {
  const { catalogue } = deps.resources;
  if (catalogue === null)
    return "It names entries of the operator's catalogue, and none is set. Set AGENTFLOW_CATALOGUE.";
  const kinds = await catalogue.kindsOf(names);
  if (!kinds.ok) return kinds.message;
  const own = readReferences(work.inputs.get("context") ?? "") ?? noReferences;
  const named = kinds.kinds.map((kind, index): ContextReferences => {
    const id = names[index] ?? "";
    return kind === "workspace"
      ? { ...noReferences, workspace: { id, access: "read-only" } }
      : { ...noReferences, [kind]: [id] };
  });
  return mergeReferences([own, ...named]) ?? "Its contexts name two workspaces; a context has one at most.";
}

/** Runs the node in the iteration's own frame: journaled, logged and shown in events like every other one. */
async function runLoose(context: StepContext, work: IterationWork, loose: LooseNode): Promise<OperationEnd> {
  const { loop, checkpoint } = work;
  const definition = context.plan.registry.find(loose.type);
  if (!definition) return failed(failure("config_invalid", `There is no node type ${loose.type}.`));
  const id = `${loop}.operation`;
  const frame = [
    ...context.frame,
    { node: loop, role: "operation", iteration: checkpoint.nextIteration } as const,
  ];
  const place = { ...context.place, parent: loop, role: "operation", iteration: checkpoint.nextIteration };
  const slots = slotsOf(definition, loose);
  const plan = planWith(context.plan, id, definition, loose, slots);
  const inputs = new Map([...slots].map(([slot, { text }]) => [slot, text]));
  const fingerprint = () => context.deps.sha256(JSON.stringify([loose.type, loose.text ?? {}, [...inputs]]));
  const end = await runNode({ ...context, plan, frame, place }, { id, inputs, fingerprint }, () =>
    Promise.reject(new Error(`${id} is no loop`)),
  );
  if (end.kind !== "done") return end;
  const outputs = Object.entries(definition.outputs);
  const [only, ...others] = outputs;
  if (only && others.length === 0) return resultOf(end.outputs.get(only[0]) ?? "");
  const entries = outputs.map(
    ([slot, { type }]) => [slot, slotJson(type, end.outputs.get(slot) ?? "")] as const,
  );
  return { kind: "result", text: objectText(entries) };
}

type Slots = ReadonlyMap<string, { readonly type: SlotType; readonly text: string }>;

/** Typed texts of the inputs: a free one is json when it holds more than a text or number. */
function slotsOf(definition: NodeDefinition, { inputs, context }: LooseNode): Slots {
  const slots = new Map<string, { type: SlotType; text: string }>();
  for (const [slot, { type }] of Object.entries(definition.inputs))
    slots.set(slot, { type, text: type === "context" ? context : "" });
  for (const [slot, json] of inputs) {
    const own = ownEntry(definition.inputs, slot)?.type;
    const type = own ?? (/^[[{]/.test(json) ? "json" : "text");
    slots.set(slot, { type, text: inputSlotText(type, json) });
  }
  return slots;
}

/** The plan as the engine's steps ask it, with one node more. */
function planWith(
  plan: FlowPlan,
  id: string,
  definition: NodeDefinition,
  { text }: LooseNode,
  slots: Slots,
): FlowPlan {
  const free = [...slots].filter(([slot]) => ownEntry(definition.inputs, slot) === undefined);
  const node: IrNode = {
    definition: definition.type,
    label: "",
    script: null,
    scriptRef: null,
    body: null,
    bodyRef: null,
    pins: {},
    inputs: Object.fromEntries(free.map(([slot, { type }]) => [slot, type])),
    outputs: {},
    attributes: {},
    ...text,
  };
  const { version } = plan;
  const ir = { ...version.ir, nodes: { ...version.ir.nodes, [id]: node } };
  return {
    ...plan,
    version: { ...version, ir },
    definition: (nodeId) => (nodeId === id ? definition : plan.definition(nodeId)),
    secretSlots: (nodeId) => (nodeId === id ? [] : plan.secretSlots(nodeId)),
  };
}
