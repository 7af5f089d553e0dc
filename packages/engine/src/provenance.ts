import { nodeFingerprintText } from "@agentflow/core";
import type { AuthoredPart, SlotValues } from "@agentflow/core";
import type { StepContext } from "./step-context.ts";

/** What a node gave in this walk, and what it rests on. */
export type Produced = {
  readonly outputs: SlotValues;
  readonly exit: string | null;
  /** True when nothing but authored values and pure nodes led to it: it may enter a fingerprint by value (L-38). */
  readonly authored: boolean;
  /** Computed when first asked for. */
  readonly fingerprint: () => string;
};

/** How a wired slot enters the fingerprint of the node it feeds: by value when authored, else by its source, hashed when asked for (L-38). */
export function authoredPart(source: Produced | undefined, slot: string): AuthoredPart {
  if (!source) return { value: "" };
  if (source.authored) return { value: source.outputs.get(slot) ?? "" };
  return {
    get source() {
      return source.fingerprint();
    },
    slot,
  };
}

/** The fingerprint of a node: what it is, what it depends on, what the run's inputs replaced. Lazy: most walks need none. */
export function fingerprintOf(
  context: StepContext,
  id: string,
  parts: ReadonlyMap<string, AuthoredPart>,
  given: string | undefined,
): () => string {
  let known: string | null = null;
  return () => {
    if (known === null) {
      const product = given === undefined || context.frame.length > 0;
      const all = product ? parts : new Map([...parts, ["value", { value: given }] as const]);
      known = context.deps.sha256(nodeFingerprintText(context.plan.definitionText(id), all));
    }
    return known;
  };
}
