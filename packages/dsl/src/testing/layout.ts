import { outputType } from "@agentflow/core";
import type { Box, Ir, Layout } from "@agentflow/core";
import { testRegistry } from "./read.ts";

/** Pairs of nodes of which one covers a part of the other. */
export function overlaps({ nodes }: Layout): readonly string[] {
  const boxes = Object.entries(nodes);
  return boxes.flatMap(([id, box], index) =>
    boxes
      .slice(index + 1)
      .filter(([, other]) => touch(box, other))
      .map(([other]) => `${id} ${other}`),
  );
}

function touch(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Edges among the given nodes that do not lead from left to right. */
export function backwards(ir: Ir, { nodes }: Layout, among: readonly string[]): readonly string[] {
  const known = new Set(among);
  return ir.edges
    .filter(({ from, to }) => known.has(from.node) && known.has(to.node))
    .filter(({ from, to }) => {
      const [a, b] = [nodes[from.node], nodes[to.node]];
      return !a || !b || a.x + a.width > b.x;
    })
    .map(({ from, to }) => `${from.node} → ${to.node}`);
}

/** The middle of a node's left edge. */
export function middle({ nodes }: Layout, id: string): number {
  const box = nodes[id];
  if (!box) throw new Error(`${id} has no place`);
  return box.y + Math.floor(box.height / 2);
}

/** Whether a node takes part in control, gives data to others, or shows. */
export function bandOf(ir: Ir, id: string): "source" | "chain" | "display" {
  const definition = testRegistry.find(ir.nodes[id]?.definition ?? "");
  if (outputType(ir, testRegistry, id, "next") === null) return "source";
  return definition?.shown ? "display" : "chain";
}
