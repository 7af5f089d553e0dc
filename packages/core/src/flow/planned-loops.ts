import { parseTimeout } from "../duration.ts";
import { HIGHEST_ITERATIONS_CAP } from "../limits.ts";
import { readMaxIterations } from "../loop/config.ts";
import { LOOP_TYPES, loopSources } from "../loop/form.ts";
import { readInitialState } from "../loop/state.ts";
import type { NodeRegistry } from "../nodes/registry.ts";
import { authoredText } from "./authored.ts";
import { parentGraph } from "./graph.ts";
import type { Graph } from "./graph.ts";
import { ownEntry } from "./ir.ts";
import type { Ir } from "./ir.ts";

/** A loop of the parent graph as it will be captured. `state` is exact compact JSON; null when only execution can tell. */
export type PlannedLoop = {
  readonly node: string;
  readonly label: string;
  readonly state: string | null;
  readonly maxIterations: number;
  readonly timeoutMs: number;
};

const NO_CAPS = {
  maxIterations: HIGHEST_ITERATIONS_CAP,
  maxTimeoutMs: Number.MAX_SAFE_INTEGER,
  maxRepeatIterations: HIGHEST_ITERATIONS_CAP,
};

/**
 * The loops of the parent graph in execution order, as far as the flow and a run's inputs (node id → exact JSON text) say
 * how they will begin (L-21, L-42). A loop whose limits come out of a step is left out.
 */
export function plannedLoops(
  ir: Ir,
  registry: NodeRegistry,
  inputs: ReadonlyMap<string, string>,
): readonly PlannedLoop[] {
  const graph = parentGraph(ir, registry);
  if ("cycle" in graph) return [];
  return graph.order.flatMap((node) => {
    const loop = ownEntry(ir.nodes, node);
    if (!loop || !LOOP_TYPES.has(registry.find(loop.definition)?.type ?? "")) return [];
    const form = loopSources(loop)[0] ?? "script";
    const text = (slot: string) => slotText(graph, ir, registry, { node, slot }, inputs);
    const [limit, clock, initial] = [text("maxIterations"), text("timeout"), text("state")];
    const iterations = limit === null ? null : readMaxIterations(form, limit, NO_CAPS);
    const timeout = clock === null ? null : parseTimeout(clock, NO_CAPS.maxTimeoutMs);
    if (!iterations?.ok || !timeout?.ok) return [];
    // A repeat's first state is a member of its input, which only execution resolves.
    const state = initial === null || form === "repeat" ? null : readInitialState(initial);
    return [
      {
        node,
        label: loop.label || node,
        state: state?.ok ? state.text : null,
        maxIterations: iterations.value,
        timeoutMs: timeout.ms,
      },
    ];
  });
}

/** Text of a loop's slot; a slot that nothing feeds is blank. */
function slotText(
  graph: Graph,
  ir: Ir,
  registry: NodeRegistry,
  at: { readonly node: string; readonly slot: string },
  inputs: ReadonlyMap<string, string>,
): string | null {
  const source = graph.sources.get(at.node)?.get(at.slot);
  const pin = ownEntry(ownEntry(ir.nodes, at.node)?.pins ?? {}, at.slot);
  if (source === undefined && pin === undefined) return "";
  // The value of a secret comes from the environment and is never told (2-flows 2.7).
  if (source && ownEntry(ir.nodes, source.node)?.definition === "provide.password") return null;
  return authoredText(ir, registry, at, source, inputs);
}
