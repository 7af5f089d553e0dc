import type { FlowContract } from "@agentflow/contract";
import { objectText } from "@agentflow/core";
import type { Ir, NodeRegistry } from "@agentflow/core";
import type { FlowVersionView, FlowView } from "@agentflow/engine";

/** A flow version as JSON text: IR and layout as they are stored. `more` are further fields, as JSON texts. */
export function flowVersionText(
  version: FlowVersionView,
  registry: NodeRegistry,
  layoutTag: string,
  more: Readonly<Record<string, string>>,
): string {
  const { flow, digest, source, irText, layout, warnings, createdAt } = version;
  return objectText([
    ["flow", JSON.stringify(flow)],
    ["version", JSON.stringify(version.version)],
    ["digest", JSON.stringify(digest)],
    ["source", JSON.stringify(source)],
    ["ir", irText],
    ["layout", layout ?? "null"],
    ["layoutTag", JSON.stringify(layoutTag)],
    ["warnings", warnings],
    ["contract", JSON.stringify(flowContract(JSON.parse(irText) as Ir, registry))],
    ["createdAt", JSON.stringify(createdAt)],
    ...Object.entries(more),
  ]);
}

/** What a flow shows beside its newest version, as JSON texts. */
export function flowFields({
  archivedAt,
  limits,
  versions,
  runs,
}: FlowView): Readonly<Record<string, string>> {
  return {
    archivedAt: JSON.stringify(archivedAt),
    limits: JSON.stringify(limits),
    versions: JSON.stringify(versions),
    runs: JSON.stringify(runs),
  };
}

/** What a run of the flow takes (`provide.*`) and shows (`display.*`), in source order. */
function flowContract(ir: Ir, registry: NodeRegistry): FlowContract {
  const nodes = Object.entries(ir.nodes).flatMap(([id, { definition, label }]) => {
    const found = registry.find(definition);
    return found === null ? [] : [{ node: id, label, definition: found }];
  });
  return {
    inputs: nodes
      .filter(({ definition }) => definition.type.startsWith("provide."))
      .map(({ node, label, definition }) => ({
        node,
        label,
        type: definition.outputs["value"]?.type ?? "text",
      })),
    outputs: nodes.filter(({ definition }) => definition.shown).map(({ node, label }) => ({ node, label })),
  };
}
