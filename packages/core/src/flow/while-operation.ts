import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import { excerpt } from "../json/excerpt.ts";
import { members } from "../json/members.ts";
import { scan } from "../json/scan.ts";
import { decodeString } from "../json/strings.ts";
import { objectText } from "../json/write.ts";
import { OPERATION_KINDS, OPERATION_MEMBERS, operationText, readOperation } from "../loop/operation.ts";
import type { Operation, OperationKind } from "../loop/operation.ts";
import type { Ir, IrNode, LiteralPin } from "./ir.ts";

export type WhileOperationReading =
  | { readonly ok: true; readonly ir: Ir }
  | { readonly ok: false; readonly failure: Failure };

/** Members that become pins of the loop, under the name they have there. */
const PINS: Readonly<Record<string, string>> = {
  maxIterations: "maxIterations",
  delayBetweenIterationsMs: "delayMs",
  continueOnError: "continueOnError",
  itemVariable: "itemVariable",
  outputMapping: "outputMapping",
};
const KNOWN: ReadonlySet<string> = new Set(["condition", ...OPERATION_KINDS, ...Object.keys(PINS)]);

/**
 * A JSON `WhileOperation` as a flow of the nodes `state`, whose value a run's inputs replace, and `loop` (OP-6). `null` stands for
 * a member that is not there. None or several of `action`, `prompt` and `subAgent` → `body_not_one`; everything else that is no
 * such operation → `config_invalid`, naming the member. What is said in expressions and names lint judges.
 */
export function readWhileOperation(text: string): WhileOperationReading {
  const scanned = scan(text);
  if (!scanned.ok) return invalid(`it is not JSON: ${scanned.error.message}`);
  if (scanned.kind !== "object") return invalid(`it is a JSON ${scanned.kind}; give an object`);
  const given = present(scanned.text);
  const unknown = [...given.keys()].filter((key) => !KNOWN.has(key));
  if (unknown.length > 0)
    return invalid(
      `it has no ${unknown.slice(0, 10).map(shown).join(", ")}; it has ${[...KNOWN].join(", ")}`,
    );
  const condition = given.get("condition");
  if (!condition?.startsWith('"')) return invalid("its condition is not a text");
  const operation = readPart(given);
  if (!operation.ok) return operation;
  const pins = new Map<string, LiteralPin>();
  for (const [key, slot] of Object.entries(PINS)) {
    const value = given.get(key) ?? (key === "outputMapping" ? operation.mapping : undefined);
    if (value !== undefined)
      pins.set(slot, value.startsWith('"') ? { text: decodeString(value) } : { json: value });
  }
  return { ok: true, ir: flowOf(decodeString(condition), operation.operation, pins) };
}

type Part =
  | { readonly ok: true; readonly operation: Operation; readonly mapping: string | undefined }
  | { readonly ok: false; readonly failure: Failure };

/** The one operation: an object with `name` and its parameters, or the name alone; `outputMapping` may stand in it too. */
function readPart(given: ReadonlyMap<string, string>): Part {
  const kinds = OPERATION_KINDS.filter((kind) => given.has(kind));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    const what = kind === undefined ? "none" : kinds.join(" and ");
    const message = `The operation takes exactly one of ${OPERATION_KINDS.join(", ")}; it has ${what}.`;
    return { ok: false, failure: failure("body_not_one", message) };
  }
  const value = given.get(kind) ?? "";
  const parts = value.startsWith("{") ? present(value) : new Map([["name", value]]);
  const mapping = parts.get("outputMapping");
  if (mapping !== undefined && given.has("outputMapping"))
    return invalid(`outputMapping stands beside ${kind} and in it; give it once`);
  const problem = memberProblem(kind, parts);
  if (problem !== null) return invalid(problem);
  const rest = [...parts].filter(([key]) => key !== "name" && key !== "outputMapping");
  const read = readOperation(objectText([[kind, parts.get("name") ?? "null"], ...rest]));
  if (!read.ok) return invalid(read.failure.message);
  return { ok: true, operation: read.operation, mapping };
}

function memberProblem(kind: OperationKind, parts: ReadonlyMap<string, string>): string | null {
  const known = ["name", ...OPERATION_MEMBERS[kind].slice(1), "outputMapping"];
  const unknown = [...parts.keys()].filter((key) => !known.includes(key));
  if (unknown.length === 0) return null;
  return `${kind} has no ${unknown.slice(0, 10).map(shown).join(", ")}; it has ${known.join(", ")}`;
}

function flowOf(expression: string, operation: Operation, pins: ReadonlyMap<string, LiteralPin>): Ir {
  const empty = {
    script: null,
    scriptRef: null,
    body: null,
    bodyRef: null,
    pins: {},
    inputs: {},
    outputs: {},
    attributes: {},
  };
  const nodes: Record<string, IrNode> = {
    state: { ...empty, definition: "provide.json", label: "State", pins: { value: { json: "{}" } } },
    loop: {
      ...empty,
      definition: "control.while",
      label: "Loop",
      pins: Object.fromEntries(pins),
      attributes: { expression, operation: operationText(operation) },
    },
  };
  return {
    schema: 1,
    nodes,
    edges: [{ from: { node: "state", slot: "value" }, to: { node: "loop", slot: "state" } }],
    subflows: {},
    run: { id: "run", label: "Run", roots: ["loop"] },
  };
}

/** The members of an object that are there: null means none. */
function present(text: string): ReadonlyMap<string, string> {
  return new Map([...members(text)].filter(([, value]) => value !== "null"));
}

function shown(name: string): string {
  return excerpt(name, 40);
}

function invalid(message: string): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: failure("config_invalid", `The operation cannot be read: ${message}.`) };
}
