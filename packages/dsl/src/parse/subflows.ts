import type { SlotReference } from "@agentflow/core";
import type { CallExpression, Expression, ObjectExpression, Property, SpreadElement } from "acorn";
import { asFlowCall, readChain } from "./chains.ts";
import { keyOf, textOf } from "./literals.ts";
import { isUsableName } from "./names.ts";
import { readReference } from "./references.ts";
import type { Scope, SubflowDraft } from "./scope.ts";
import { markField } from "./scope.ts";

/** Reads `flow.subflow(label, inputs, flow(...), outputs)` (F-10); lint judges the contract (D20 to D22). */
export function readSubflow(scope: Scope, id: string, call: CallExpression): SubflowDraft {
  const rest: (Expression | SpreadElement)[] = [...call.arguments];
  const written = rest[0] ? textOf(rest[0]) : null;
  if (written !== null) rest.shift();
  const inputs = new Map<string, string>();
  const outputs = new Map<string, SlotReference>();
  if (rest[0]?.type === "ObjectExpression") {
    readContract(scope, id, rest[0], "input", (name, value) => readInput(scope, id, inputs, name, value));
    rest.shift();
  }
  const inner = asFlowCall(rest[0]);
  if (inner) rest.shift();
  const chain = inner ? readChain(scope, inner, { node: id }).chain : [];
  if (rest[0]?.type === "ObjectExpression") {
    readContract(scope, id, rest[0], "output", (name, value) => {
      const reference = readReference(scope, value, { node: id, field: name });
      if (reference) outputs.set(name, reference.from);
    });
    rest.shift();
  }
  for (const argument of rest) {
    scope.report.unplaced(
      argument,
      "flow.subflow takes no such argument: write (label, { inputs }, flow(...), { outputs }).",
      { node: id },
    );
  }
  return { id, label: written ?? id, inputs, outputs, chain };
}

function readInput(
  scope: Scope,
  id: string,
  inputs: Map<string, string>,
  name: string,
  value: Expression,
): void {
  const binding = value.type === "Identifier" ? scope.bindings.get(value.name) : undefined;
  if (binding?.kind === "node") inputs.set(name, binding.id);
  else {
    const mend = `declare \`const ${name} = flow.input("${name}", type)\` and write \`{ ${name} }\``;
    scope.report.unplaced(value, `An input of a subflow is the variable of a flow.input: ${mend}.`, {
      node: id,
      field: name,
    });
  }
}

function readContract(
  scope: Scope,
  id: string,
  object: ObjectExpression,
  side: "input" | "output",
  read: (name: string, value: Expression) => void,
): void {
  const seen = new Set<string>();
  for (const property of object.properties) {
    const name = nameOf(property);
    if (property.type !== "Property" || name === null) {
      scope.report.unplaced(
        property,
        `An ${side} of a subflow is written \`name: value\`, the name a plain identifier.`,
        { node: id },
      );
    } else if (seen.has(name)) {
      scope.report.add("D06", property, `The ${side} \`${name}\` is declared twice: remove one of the two.`, {
        node: id,
        field: name,
      });
    } else {
      seen.add(name);
      markField(scope, id, name, property);
      read(name, property.value);
    }
  }
}

function nameOf(property: Property | SpreadElement): string | null {
  if (property.type !== "Property" || property.kind !== "init" || property.method) return null;
  const name = keyOf(property);
  return name !== null && isUsableName(name) ? name : null;
}
