import type { Failure } from "../errors.ts";
import type { LimitCaps } from "../loop/config.ts";
import { LOOP_TYPES, loopSources } from "../loop/form.ts";
import type { NodeRegistry } from "../nodes/registry.ts";
import { settingText } from "./authored.ts";
import type { Ir, SlotReference } from "./ir.ts";
import { loopProblems } from "./loop-problems.ts";

/**
 * What is wrong with the limits, options and initial states of loops, as far as the flow and the run's inputs say them before anything
 * runs (L-7, L-9, L-10): `config_invalid`, or a code of their own. Each names its loop.
 */
export function checkLimits(
  ir: Ir,
  registry: NodeRegistry,
  inputs: ReadonlyMap<string, string>,
  caps: LimitCaps,
): readonly Failure[] {
  const sources = new Map<string, SlotReference>();
  for (const { from, to } of ir.edges) sources.set(JSON.stringify([to.node, to.slot]), from);
  const failures: Failure[] = [];
  for (const [node, loop] of Object.entries(ir.nodes)) {
    if (!LOOP_TYPES.has(registry.find(loop.definition)?.type ?? "")) continue;
    const text = (slot: string) =>
      settingText(ir, registry, { node, slot }, sources.get(JSON.stringify([node, slot])), inputs);
    for (const found of loopProblems(loopSources(loop)[0] ?? "script", text, caps).values())
      failures.push({ ...found, node, message: `Loop ${node}: ${found.message}` });
  }
  return failures;
}
