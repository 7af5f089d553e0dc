import { parseTimeout } from "../duration.ts";
import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import { parseMaxIterations } from "../limits.ts";
import type { LimitCaps } from "../loop/config.ts";
import { readInitialState } from "../loop/state.ts";
import type { NodeRegistry } from "../nodes/registry.ts";
import { authoredText } from "./authored.ts";
import type { Ir, SlotReference } from "./ir.ts";

/** Slots of a loop that are settled before its first iteration, and what may be wrong with their text (L-6 to L-9). */
export const loopSettings: Readonly<Record<string, (text: string, caps: LimitCaps) => Failure | null>> = {
  maxIterations: (text, caps) => invalid(parseMaxIterations(text, caps.maxIterations)),
  timeout: (text, caps) => invalid(parseTimeout(text, caps.maxTimeoutMs)),
  state: (text) => {
    const state = readInitialState(text);
    return state.ok ? null : state.failure;
  },
};

/**
 * What is wrong with the limits and initial states of loops, as far as the flow and the run's inputs say them before anything
 * runs (L-7, L-9, L-10): `config_invalid`, or the state's own codes. Each names its loop.
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
  for (const [node, { definition }] of Object.entries(ir.nodes)) {
    if (registry.find(definition)?.type !== "control.while") continue;
    for (const [slot, problem] of Object.entries(loopSettings)) {
      const source = sources.get(JSON.stringify([node, slot]));
      const text = authoredText(ir, registry, { node, slot }, source, inputs);
      const found = text === null ? null : problem(text, caps);
      if (found) failures.push({ ...found, node, message: `Loop ${node}: ${found.message}` });
    }
  }
  return failures;
}

function invalid(parsed: { ok: true } | { ok: false; message: string }): Failure | null {
  return parsed.ok ? null : failure("config_invalid", parsed.message);
}
