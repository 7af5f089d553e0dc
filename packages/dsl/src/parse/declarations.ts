import type { NodeRegistry } from "@agentflow/core";
import type { CallExpression, Node, ObjectPattern } from "acorn";
import { isUsableName, languageNames } from "./names.ts";
import type { Declared } from "./program.ts";
import type { Report } from "./report.ts";
import type { Binding, NodeDraft } from "./scope.ts";

/** What the file declares, by kind, in source order. */
export type Declarations = {
  readonly bindings: ReadonlyMap<string, Binding>;
  readonly drafts: ReadonlyMap<string, NodeDraft>;
  readonly subflows: readonly { readonly id: string; readonly call: CallExpression }[];
  readonly run: { readonly id: string; readonly call: CallExpression } | null;
  /** Where each name is declared. */
  readonly names: ReadonlyMap<string, Node>;
};

type Making = {
  readonly registry: NodeRegistry;
  readonly report: Report;
  readonly bindings: Map<string, Binding>;
  readonly drafts: Map<string, NodeDraft>;
  readonly subflows: { id: string; call: CallExpression }[];
  readonly names: Map<string, Node>;
  run: { id: string; call: CallExpression } | null;
};

/** Binds every name of the file before any call is read, so that wires may point forward. */
export function declare(declared: readonly Declared[], registry: NodeRegistry, report: Report): Declarations {
  const making: Making = {
    registry,
    report,
    bindings: new Map(),
    drafts: new Map(),
    subflows: [],
    names: new Map(),
    run: null,
  };
  const outputs = new Map<ObjectPattern, readonly Output[]>();
  for (const item of declared) {
    if (item.kind === "call") declareCall(making, item);
    else outputs.set(item.pattern, claimOutputs(making, item.pattern));
  }
  for (const item of declared) {
    if (item.kind === "destructuring") bindOutputs(making, item, outputs.get(item.pattern) ?? []);
  }
  return making;
}

function claim(making: Making, name: string, at: Node): boolean {
  const { report, names } = making;
  if (!isUsableName(name))
    report.add("D06", at, `\`${name}\` cannot be a name in a flow: choose another one.`);
  else if (languageNames.has(name))
    report.add("D06", at, `\`${name}\` is a name of the language: choose another one.`);
  else if (names.has(name)) report.add("D06", at, `\`${name}\` is declared twice: rename one of the two.`);
  else {
    names.set(name, at);
    return true;
  }
  return false;
}

function declareCall(
  making: Making,
  { name, callee, call, exported }: Extract<Declared, { kind: "call" }>,
): void {
  const { report, registry } = making;
  const definition = registry.find(callee);
  const root = callee.split(".")[0] ?? "";
  if (!definition && !languageNames.has(root)) {
    return report.unplaced(
      call,
      `\`${callee}\` is not part of the language: a flow calls ${[...languageNames].join(", ")} only.`,
    );
  }
  if (callee === "file" || callee === "flow.fork") {
    return report.unplaced(call, `\`${callee}(...)\` has no name of its own: write it where it is used.`);
  }
  if (callee === "flow" && (!exported || making.run)) {
    const why = exported
      ? `A flow has one run entry and \`${making.run?.id}\` is it already: remove one of the two.`
      : `A flow(...) with a name is the run entry: export it, or write it where it is used.`;
    return report.unplaced(name, why, { node: name.name });
  }
  if (!claim(making, name.name, name)) return;
  const id = name.name;
  if (callee === "flow") {
    making.run = { id, call };
    making.bindings.set(id, { kind: "run", id });
  } else if (callee === "flow.subflow") {
    making.subflows.push({ id, call });
    making.bindings.set(id, { kind: "subflow", id, start: call.start });
  } else {
    if (!definition)
      report.add(
        "D07",
        call.callee,
        `There is no node type \`${callee}\`: correct the name or use another node.`,
        { node: id },
      );
    making.bindings.set(id, { kind: "node", id, definition });
    making.drafts.set(id, newDraft(id, callee, definition, call));
  }
}

function newDraft(
  id: string,
  callee: string,
  definition: NodeDraft["definition"],
  call: CallExpression,
): NodeDraft {
  return {
    id,
    type: definition?.type ?? callee,
    definition,
    call,
    label: id,
    script: null,
    scriptRef: null,
    body: null,
    bodyRef: null,
    pins: new Map(),
    sources: new Map(),
    templateSlots: new Set(),
    outputs: new Map(),
    attributes: new Map(),
    branches: { then: [], else: [] },
  };
}

type Output = { readonly slot: string; readonly name: string; readonly at: Node };

function claimOutputs(making: Making, pattern: ObjectPattern): readonly Output[] {
  const outputs: Output[] = [];
  for (const property of pattern.properties) {
    if (property.type === "RestElement" || property.computed) continue;
    const { key, value } = property;
    const slot =
      key.type === "Identifier"
        ? key.name
        : key.type === "Literal" && typeof key.value === "string"
          ? key.value
          : null;
    if (slot === null || value.type !== "Identifier") {
      making.report.unplaced(
        property,
        "Only names can be destructured from a node: write `const { slot } = node` or `const { slot: name } = node`.",
      );
    } else if (claim(making, value.name, value)) outputs.push({ slot, name: value.name, at: property });
  }
  return outputs;
}

function bindOutputs(
  making: Making,
  { source }: Extract<Declared, { kind: "destructuring" }>,
  outputs: readonly Output[],
): void {
  const binding = making.bindings.get(source.name);
  const draft = making.drafts.get(source.name);
  if (binding?.kind !== "node" || !draft) {
    const subject = `\`${source.name}\` is not a node of this flow`;
    return making.report.unplaced(
      source,
      `${subject}: declare the node with const before its outputs are taken from it.`,
    );
  }
  const { definition } = draft;
  for (const { slot, name, at } of outputs) {
    making.bindings.set(name, { kind: "output", from: { node: draft.id, slot } });
    if (!definition?.freeOutputs || Object.hasOwn(definition.outputs, slot)) continue;
    if (isUsableName(slot)) draft.outputs.set(slot, "text");
    else
      making.report.add("D06", at, `\`${slot}\` cannot be the name of an output: use a plain identifier.`, {
        node: draft.id,
        field: slot,
      });
  }
}
