import { defaultRegistry, ownEntry } from "@agentflow/core";
import type { Box, Ir, Layout, NodeRegistry } from "@agentflow/core";
import { placeAll } from "./place.ts";
import type { Placed } from "./place.ts";
import { ROW_GAP } from "./rows.ts";

export type LayoutOptions = {
  /** Positions there are already. */
  readonly kept?: Layout;
  /** Places every node anew, those of `kept` too. */
  readonly all?: boolean;
};

/** The new layout, nodes in source order, and what is different from the kept one. */
export type Laid = {
  readonly layout: Layout;
  /** Nodes that got a place. */
  readonly placed: readonly string[];
  /** Nodes that the kept layout had and the flow has no more. */
  readonly removed: readonly string[];
};

/**
 * Places the nodes of a flow that has no lint errors (F-20). Without `all` only those that `kept` lacks, clear of all
 * others; kept ones stay where and as large as they are. Same flow and kept layout → same result. Throws on a cycle.
 */
export function layoutFlow(
  ir: Ir,
  registry: NodeRegistry = defaultRegistry,
  { kept = { nodes: {} }, all = false }: LayoutOptions = {},
): Laid {
  const ids = Object.keys(ir.nodes);
  const ideal = placeAll(ir, registry);
  const boxes = new Map<string, Box>();
  for (const id of ids) {
    const box = all ? undefined : ownEntry(kept.nodes, id);
    if (box) boxes.set(id, box);
  }
  const placed = ids.filter((id) => !boxes.has(id));
  const shift = shifts(ideal, boxes);
  for (const id of placed) {
    const at = ideal.get(id);
    if (at)
      boxes.set(id, all || shift.size === 0 ? at.box : freePlace(at, shift.get(at.part) ?? NO_SHIFT, boxes));
  }
  const nodes = Object.fromEntries(ids.map((id) => [id, boxes.get(id) as Box]));
  return {
    layout: { nodes },
    placed,
    removed: Object.keys(kept.nodes).filter((id) => !Object.hasOwn(ir.nodes, id)),
  };
}

type Shift = { readonly x: number; readonly y: number };
const NO_SHIFT: Shift = { x: 0, y: 0 };

/** How far each part of the flow has been moved by hand, going by its first node that has a place. */
function shifts(
  ideal: ReadonlyMap<string, Placed>,
  boxes: ReadonlyMap<string, Box>,
): ReadonlyMap<number, Shift> {
  const found = new Map<number, Shift>();
  for (const [id, { box, part }] of ideal) {
    const now = boxes.get(id);
    if (now && !found.has(part)) found.set(part, { x: now.x - box.x, y: now.y - box.y });
  }
  return found;
}

/** The ideal place moved with its part and on, sources upwards and others downwards, until it is clear of every box. */
function freePlace({ box, band }: Placed, shift: Shift, boxes: ReadonlyMap<string, Box>): Box {
  let at = { ...box, x: Math.round(box.x + shift.x), y: Math.round(box.y + shift.y) };
  const inColumn = [...boxes.values()].filter(
    (other) => other.x < at.x + at.width + ROW_GAP && at.x < other.x + other.width + ROW_GAP,
  );
  const blocking = (): Box | undefined =>
    inColumn.find((other) => other.y < at.y + at.height + ROW_GAP && at.y < other.y + other.height + ROW_GAP);
  for (let other = blocking(); other; other = blocking()) {
    const y =
      band === "source"
        ? Math.floor(other.y - ROW_GAP - at.height)
        : Math.ceil(other.y + other.height + ROW_GAP);
    at = { ...at, y };
  }
  return at;
}
