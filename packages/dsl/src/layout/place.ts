import type { Box, Ir, NodeRegistry } from "@agentflow/core";
import { depthsOf } from "./depths.ts";
import { nodeSize } from "./node-size.ts";
import type { Size } from "./node-size.ts";
import { partsOf } from "./part.ts";
import type { Band, Part } from "./part.ts";
import { COLUMN_GAP, ROW_GAP, rowsOf } from "./rows.ts";

/** Pixels between the parent graph and each subflow below it: room for a title. */
const PART_GAP = 120;

export type Placed = { readonly box: Box; readonly band: Band; readonly part: number };

/**
 * A place for every node, the same for the same flow: columns from left to right by depth, the control chain on one axis,
 * data sources above it, display nodes below, each subflow by itself below the parent graph. All numbers are whole.
 */
export function placeAll(ir: Ir, registry: NodeRegistry): ReadonlyMap<string, Placed> {
  const placed = new Map<string, Placed>();
  let top = 0;
  for (const [index, part] of partsOf(ir, registry).entries()) {
    if (part.order.length === 0) continue;
    const sizes = new Map(part.order.map((id) => [id, nodeSize(ir, registry, id)]));
    const boxes = placePart(part, sizes);
    const upper = Math.min(...boxes.map(([, { y }]) => y));
    for (const [id, box] of boxes) {
      placed.set(id, {
        box: { ...box, y: box.y - upper + top },
        band: part.bands.get(id) ?? "chain",
        part: index,
      });
    }
    top += Math.max(...boxes.map(([, { y, height }]) => y + height)) - upper + PART_GAP;
  }
  return placed;
}

function placePart(part: Part, sizes: ReadonlyMap<string, Size>): readonly (readonly [string, Box])[] {
  const depths = depthsOf(part);
  const rows = rowsOf(part, depths, sizes);
  const columns = columnStarts(part.order, depths, sizes);
  const { above, below } = edgesOfChain(part, rows, sizes);
  const nextAbove = new Map<number, number>();
  const nextBelow = new Map<number, number>();
  const boxes = part.order.map((id) => {
    const size = sizes.get(id) ?? { width: 0, height: 0 };
    const depth = depths.get(id) ?? 0;
    const band = part.bands.get(id);
    let y = (rows.get(id) ?? 0) - Math.floor(size.height / 2);
    if (band === "source") {
      y = (nextAbove.get(depth) ?? above) - ROW_GAP - size.height;
      nextAbove.set(depth, y);
    } else if (band === "display") {
      y = (nextBelow.get(depth) ?? below) + ROW_GAP;
      nextBelow.set(depth, y + size.height);
    }
    return [id, { x: columns.get(depth) ?? 0, y, ...size }] as const;
  });
  return boxes;
}

/** Left edge of each column that has nodes. */
function columnStarts(
  order: readonly string[],
  depths: ReadonlyMap<string, number>,
  sizes: ReadonlyMap<string, Size>,
): ReadonlyMap<number, number> {
  const widths = new Map<number, number>();
  for (const id of order) {
    const depth = depths.get(id) ?? 0;
    widths.set(depth, Math.max(widths.get(depth) ?? 0, sizes.get(id)?.width ?? 0));
  }
  const starts = new Map<number, number>();
  let x = 0;
  for (const [depth, width] of [...widths].sort(([a], [b]) => a - b)) {
    starts.set(depth, x);
    x += width + COLUMN_GAP;
  }
  return starts;
}

/** Where the chain's nodes end upwards and downwards. */
function edgesOfChain(
  { order, bands }: Part,
  rows: ReadonlyMap<string, number>,
  sizes: ReadonlyMap<string, Size>,
): { readonly above: number; readonly below: number } {
  let above = 0;
  let below = 0;
  for (const id of order) {
    if (bands.get(id) !== "chain") continue;
    const top = (rows.get(id) ?? 0) - Math.floor((sizes.get(id)?.height ?? 0) / 2);
    above = Math.min(above, top);
    below = Math.max(below, top + (sizes.get(id)?.height ?? 0));
  }
  return { above, below };
}
