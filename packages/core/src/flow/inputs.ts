import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import { excerpt } from "../json/excerpt.ts";
import { scan } from "../json/scan.ts";
import type { JsonKind } from "../json/scan.ts";
import { decodeString } from "../json/strings.ts";
import { INPUT_MAX_BYTES } from "../limits.ts";
import { LOOP_TYPES } from "../loop/form.ts";
import type { NodeRegistry } from "../nodes/registry.ts";
import { parentMembers } from "./graph.ts";
import { ownEntry } from "./ir.ts";
import type { Ir, SlotType } from "./ir.ts";
import { staysInside } from "./lint/files.ts";
import { jsonAsText } from "./pins.ts";

/**
 * Slot text of a run's input from its exact JSON text (F-21), for a node of type `definition`: of `provide.json` that text
 * itself, of every other one a string's characters, `true`, `false` or a number's digits.
 */
export function inputText(definition: string, json: string): string {
  return inputSlotText(definition === "provide.json" ? "json" : "text", json);
}

/** As `inputText`, for a slot of a known type. */
export function inputSlotText(slot: SlotType, json: string): string {
  return slot === "json" ? json : jsonAsText(json);
}

/**
 * What is wrong with a run's inputs (node id → exact JSON text): ids that name no provide node of the parent graph
 * (`input_unknown`), values that are not of the node's type (`input_invalid`), and values beyond the JSON policy or 1 MiB (the
 * codes of the policy).
 */
export function checkInputs(
  ir: Ir,
  registry: NodeRegistry,
  inputs: ReadonlyMap<string, string>,
): readonly Failure[] {
  const counts = integerInputs(ir);
  const parents = new Set(parentMembers(ir));
  const known = knownInputs(ir, registry, parents);
  const failures: Failure[] = [];
  for (const [id, json] of inputs) {
    const node = parents.has(id) ? ownEntry(ir.nodes, id) : undefined;
    const definition = node && registry.find(node.definition);
    const slot = definition && takesInput(definition.type) ? definition.inputs["value"]?.type : undefined;
    const found =
      slot === undefined
        ? failure("input_unknown", `The flow takes no input ${excerpt(id, 80)}. ${known()}`)
        : problem(slot, json, counts.has(id));
    if (found) failures.push({ ...found, node: id });
  }
  return failures;
}

/** The value of a secret comes from the environment only (2-flows 2.7). */
function takesInput(type: string): boolean {
  return type.startsWith("provide.") && type !== "provide.password";
}

/** Names of the flow's inputs for a message, worked out only when one is needed. */
function knownInputs(ir: Ir, registry: NodeRegistry, parents: ReadonlySet<string>): () => string {
  let text: string | null = null;
  return () => {
    const isInput = (id: string) =>
      takesInput(registry.find(ownEntry(ir.nodes, id)?.definition ?? "")?.type ?? "");
    const known = text === null ? [...parents].filter(isInput).slice(0, MOST_NAMES) : [];
    text ??= known.length > 0 ? `It takes ${known.join(", ")}.` : "It takes none.";
    return text;
  };
}

const MOST_NAMES = 20;

function problem(slot: SlotType, json: string, takesInteger: boolean): Failure | null {
  const scanned = scan(json, { maxBytes: INPUT_MAX_BYTES });
  if (!scanned.ok) {
    const { code, message } = scanned.error;
    return failure(code === "json_syntax" ? "request_invalid" : code, `The input is not usable: ${message}.`);
  }
  const wanted = wantedKind(slot);
  if (wanted === null || scanned.kind === wanted || (takesInteger && scanned.kind === "number")) {
    return slot === "file" && !staysInside(decodeString(scanned.text))
      ? failure("input_invalid", "The input is no relative path inside the flow folder.")
      : null;
  }
  return failure("input_invalid", `The input is a JSON ${scanned.kind}; this node takes a ${wanted}.`);
}

function wantedKind(slot: SlotType): JsonKind | null {
  if (slot === "json") return null;
  return slot === "bool" ? "boolean" : "string";
}

/** Provide nodes that set a loop's `maxIterations`, for which the API takes a JSON integer too (L-6). */
function integerInputs(ir: Ir): ReadonlySet<string> {
  const limits = ir.edges.filter(
    ({ to }) => to.slot === "maxIterations" && LOOP_TYPES.has(ownEntry(ir.nodes, to.node)?.definition ?? ""),
  );
  return new Set(limits.map(({ from }) => from.node));
}
