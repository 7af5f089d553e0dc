import { agentSubAgent } from "./agent.ts";
import { contextNodes } from "./context.ts";
import { controlRepeat, controlWhile } from "./control-loop.ts";
import { controlIf, parseJson } from "./control.ts";
import type { NodeDefinition } from "./definition.ts";
import { displayNodes } from "./display.ts";
import { flowCall, flowInput } from "./flow.ts";
import { provideNodes } from "./provide.ts";
import { toolFunction } from "./tool-function.ts";
import { toolNodejs } from "./tool-nodejs.ts";

/** Finds node types by name or alias. */
export type NodeRegistry = {
  /** The definition, or null for an unknown type (D07). */
  readonly find: (type: string) => NodeDefinition | null;
  readonly all: readonly NodeDefinition[];
};

/** A registry of the given node types; later ones win over earlier ones of the same name. */
export function createRegistry(definitions: readonly NodeDefinition[]): NodeRegistry {
  const byName = new Map<string, NodeDefinition>();
  for (const definition of definitions) {
    for (const name of [definition.type, ...(definition.aliases ?? [])]) byName.set(name, definition);
  }
  return { find: (type) => byName.get(type) ?? null, all: [...new Set(byName.values())] };
}

/** Every built-in node type (2-flows 2.7). */
export const builtInNodes: readonly NodeDefinition[] = [
  ...provideNodes,
  ...displayNodes,
  ...contextNodes,
  agentSubAgent,
  toolNodejs,
  toolFunction,
  parseJson,
  controlIf,
  controlWhile,
  controlRepeat,
  flowInput,
  flowCall,
];

/** The registry every process uses unless its composition adds node types. */
export const defaultRegistry: NodeRegistry = createRegistry(builtInNodes);
