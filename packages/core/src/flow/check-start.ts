import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import { scan } from "../json/scan.ts";
import type { LimitCaps } from "../loop/config.ts";
import { readLoopConfig } from "../loop/config.ts";
import type { NodeRegistry } from "../nodes/registry.ts";
import { parentMembers } from "./graph.ts";
import type { Ir } from "./ir.ts";
import { jsonAsText, pinText } from "./pins.ts";
import { inputType } from "./slots.ts";

/** A run's inputs: `provide.*` node id → exact JSON text. */
type Inputs = ReadonlyMap<string, string>;

/** Slot text of a run input: any JSON as it is for `provide.json`, a string's characters for the others. */
export function inputText(definition: string, json: string): string {
  return definition === "provide.json" ? json : jsonAsText(json);
}

/** What is wrong with the inputs of a run: unknown nodes (`input_unknown`), values of another type (`request_invalid`). */
export function checkInputs(ir: Ir, registry: NodeRegistry, inputs: Inputs): Failure[] {
  const parents = new Set(parentMembers(ir));
  return [...inputs].flatMap(([id, json]) => {
    const node = Object.hasOwn(ir.nodes, id) ? ir.nodes[id] : undefined;
    const type = node && registry.find(node.definition)?.type;
    if (!type?.startsWith("provide.") || !parents.has(id)) {
      const known = [...parents].filter((one) => ir.nodes[one]?.definition.startsWith("provide."));
      const names = known.length === 0 ? "the flow takes none" : `the flow takes ${known.join(", ")}`;
      return [{ ...failure("input_unknown", `There is no input ${JSON.stringify(id)}; ${names}.`), node: id }];
    }
    const problem = typeProblem(type, json);
    return problem === null ? [] : [{ ...failure("request_invalid", `The input ${id} ${problem}.`), node: id }];
  });
}

function typeProblem(type: string, json: string): string | null {
  const scanned = scan(json);
  if (!scanned.ok) return `is not JSON: ${scanned.error.message}`;
  if (type === "provide.json") return null;
  if (type === "provide.bool") return scanned.kind === "boolean" ? null : `must be true or false, not ${scanned.kind}`;
  return scanned.kind === "string" ? null : `must be a string, not ${scanned.kind}`;
}

/** Loops of the parent graph whose limits or state are known before the run starts and could not begin (L-7, L-9, L-10). */
export function checkLimits(ir: Ir, registry: NodeRegistry, inputs: Inputs, caps: LimitCaps): Failure[] {
  return parentMembers(ir).flatMap((id) => {
    if (ir.nodes[id]?.definition !== "control.while") return [];
    const slot = (name: string): string => knownValue(ir, registry, inputs, id, name) ?? "";
    const read = readLoopConfig(
      { state: slot("state"), maxIterations: slot("maxIterations"), timeout: slot("timeout") },
      caps,
    );
    return read.ok ? [] : [{ ...read.failure, node: id }];
  });
}

/** A slot's value when it is written or comes straight from a `provide.*` node; null when only the run will know. */
function knownValue(ir: Ir, registry: NodeRegistry, inputs: Inputs, id: string, slot: string): string | null {
  const edge = ir.edges.find(({ to }) => to.node === id && to.slot === slot);
  const from = edge ? edge.from.node : id;
  const node = ir.nodes[from];
  if (!node) return null;
  if (edge && !registry.find(node.definition)?.type.startsWith("provide.")) return null;
  const given = edge ? inputs.get(from) : undefined;
  if (given !== undefined) return inputText(node.definition, given);
  const pin = node.pins[edge ? "value" : slot];
  return pin ? pinText(inputType(ir, registry, from, edge ? "value" : slot) ?? "text", pin) : null;
}
