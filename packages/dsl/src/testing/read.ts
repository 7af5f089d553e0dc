import type { Finding, Ir, IrNode, NodeRegistry } from "@agentflow/core";
import { builtInNodes, createRegistry, defineNode } from "@agentflow/core";
import type { ParsedFlow } from "../parse/parse-flow.ts";
import { parseFlow } from "../parse/parse-flow.ts";

/** The built-in nodes, one whose outputs are free, one with a prompt and one that gives a context. */
export const testRegistry: NodeRegistry = createRegistry([
  ...builtInNodes,
  defineNode({
    type: "agent.test",
    inputs: { context: { type: "context" } },
    outputs: { result: { type: "text" } },
    freeInputs: true,
    freeOutputs: true,
    text: "body",
    card: { title: "Agent", icon: "bot", tone: "blue" },
    run: () => ({ kind: "command" }),
  }),
  defineNode({
    type: "context.test",
    control: false,
    outputs: { context: { type: "context" } },
    card: { title: "Context", icon: "book", tone: "slate" },
    run: () => ({ kind: "outputs", outputs: new Map() }),
  }),
]);

/** Reads a flow beside the given files, with the test registry. */
export function read(text: string | null, files: readonly string[] = []): ParsedFlow {
  return parseFlow({ text, files: { has: (path) => files.includes(path) }, registry: testRegistry });
}

/** The IR of a flow that has no findings; throws with the findings otherwise. */
export function irOf(text: string, files: readonly string[] = []): Ir {
  const { ir, findings } = read(text, files);
  if (!ir || findings.length > 0) throw new Error(`not clean: ${JSON.stringify(findings)}`);
  return ir;
}

/** One node of a flow that has no findings. */
export function nodeOf(id: string, text: string, files: readonly string[] = []): IrNode {
  const node = irOf(text, files).nodes[id];
  if (!node) throw new Error(`no node ${id}`);
  return node;
}

/** The edges of an IR as `a.slot → b.slot`. */
export function wires(ir: Ir): readonly string[] {
  return ir.edges.map(({ from, to }) => `${from.node}.${from.slot} → ${to.node}.${to.slot}`);
}

/** Findings as `code line:column`. */
export function places(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ code, line, column }) => `${code} ${line}:${column}`);
}
