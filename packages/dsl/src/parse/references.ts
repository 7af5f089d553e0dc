import type { SlotReference } from "@agentflow/core";
import type { Expression, MemberExpression } from "acorn";
import { isUsableName, languageNames } from "./names.ts";
import type { Subject } from "./report.ts";
import type { Binding, Scope } from "./scope.ts";

/** Where a wire comes from, and the variable it is written with. */
export type Reference = { readonly root: string; readonly from: SlotReference };

/** Reads `node.slot` or a destructured variable; null when it is neither, which has been reported then (D06, D10, D11). */
export function readReference(scope: Scope, expression: Expression, subject: Subject): Reference | null {
  if (expression.type === "Identifier") {
    const binding = scope.bindings.get(expression.name);
    if (binding?.kind === "output") return { root: expression.name, from: binding.from };
    const slot = binding?.kind === "node" ? contextSlot(binding) : null;
    if (slot !== null) return { root: expression.name, from: { node: expression.name, slot } };
    const known = binding?.kind !== "node" || binding.definition !== null;
    if (known) scope.report.unplaced(expression, bareName(expression.name, binding), subject);
    return null;
  }
  if (expression.type === "MemberExpression") return readMember(scope, expression, subject);
  scope.report.unplaced(
    expression,
    "This value has no place in a flow: write `node.slot`, a destructured variable or a literal.",
    subject,
  );
  return null;
}

/** A context node has one output, so its variable alone stands for it, as in `context.bundle("…", { knowledge: notes })`. */
function contextSlot({ definition }: Extract<Binding, { kind: "node" }>): string | null {
  const [only, ...others] = Object.entries(definition?.outputs ?? {});
  return only && others.length === 0 && only[1].type === "context" ? only[0] : null;
}

function bareName(name: string, binding: Binding | undefined): string {
  if (!binding)
    return `\`${name}\` is not declared: declare the node, or take the output with \`const { ${name} } = node\`.`;
  if (binding.kind === "node")
    return `\`${name}\` is a node, not a value: write \`${name}.slot\` with the slot you mean.`;
  if (binding.kind === "subflow")
    return `\`${name}\` is a subflow, not a value: call it with flow.call and wire the call's output.`;
  return `\`${name}\` is the run entry, not a value: wire an output of one of its nodes.`;
}

function readMember(scope: Scope, expression: MemberExpression, subject: Subject): Reference | null {
  const { object, property, computed, optional } = expression;
  if (object.type !== "Identifier" || property.type !== "Identifier" || computed || optional) {
    scope.report.unplaced(
      expression,
      "A wire has two names, `node.slot`: name the node and its output, nothing deeper.",
      subject,
    );
    return null;
  }
  const root = object.name;
  const from = { node: root, slot: property.name };
  const binding = scope.bindings.get(root);
  if (!binding && !languageNames.has(root) && isUsableName(root)) {
    scope.report.add(
      "D11",
      expression,
      `There is no node \`${root}\`: declare it, or correct the name.`,
      subject,
    );
    return { root, from };
  }
  if (binding?.kind !== "node") {
    const what = binding?.kind === "output" ? "an output already" : `not a node`;
    scope.report.unplaced(
      expression,
      `\`${root}\` is ${what}, it has no slot \`${property.name}\`: wire a node's output as \`node.slot\`.`,
      subject,
    );
    return null;
  }
  const { definition } = binding;
  const declared =
    definition &&
    (Object.hasOwn(definition.outputs, from.slot) || scope.drafts.get(root)?.outputs.has(from.slot));
  if (definition?.freeOutputs && !declared && !definition.exits.includes(from.slot)) {
    const mend = `declare it with \`const { ${from.slot} } = ${root};\``;
    scope.report.add(
      "D10",
      expression,
      `\`${root}\` does not declare an output \`${from.slot}\`: ${mend}.`,
      subject,
    );
  }
  return { root, from };
}
