import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layoutSchema } from "@agentflow/core";
import type { Ir, Layout } from "@agentflow/core";
import { backwards, bandOf, overlaps } from "../testing/layout.ts";
import { writeFlow } from "../testing/random-flow.ts";
import { read, testRegistry } from "../testing/read.ts";
import { layoutFlow } from "./layout.ts";

const parts = (ir: Ir): readonly (readonly string[])[] => {
  const inside = new Set(Object.values(ir.subflows).flatMap(({ members }) => members));
  return [
    Object.keys(ir.nodes).filter((id) => !inside.has(id)),
    ...Object.values(ir.subflows).map(({ members }) => members),
  ];
};

/** A random flow without cycles or shared nodes; edges that leave a subflow, which lint refuses too, have no direction. */
function flowOf(draw: fc.GeneratorValue, most: number): Ir {
  const { ir } = read(writeFlow(draw, most));
  fc.pre(ir !== null && parts(ir).flat().length === Object.keys(ir.nodes).length && acyclic(ir));
  return ir as Ir;
}

function acyclic(ir: Ir): boolean {
  try {
    layoutFlow(ir, testRegistry);
    return true;
  } catch {
    return false;
  }
}

function expectLaidOut(ir: Ir, layout: Layout): void {
  expect(Object.keys(layout.nodes)).toEqual(Object.keys(ir.nodes));
  expect(layoutSchema.safeParse(layout).success).toBe(true);
  expect(overlaps(layout)).toEqual([]);
  for (const members of parts(ir)) {
    expect(backwards(ir, layout, members)).toEqual([]);
    const ends = (band: string) =>
      members.filter((id) => bandOf(ir, id) === band).map((id) => layout.nodes[id]!);
    const tops = ends("chain").map(({ y }) => y);
    const bottoms = ends("chain").map(({ y, height }) => y + height);
    for (const { y, height } of ends("source")) expect(y + height).toBeLessThan(Math.min(Infinity, ...tops));
    for (const { y } of ends("display")) expect(y).toBeGreaterThan(Math.max(-Infinity, ...bottoms));
  }
}

describe("the layout of any flow (F-20)", { timeout: 120_000 }, () => {
  it("AC-83: every node has a place, nothing overlaps, every edge leads to the right, sources above and displays below the chain", () => {
    fc.assert(
      fc.property(fc.gen(), (draw) => {
        const ir = flowOf(draw, 12);
        const { layout, placed } = layoutFlow(ir, testRegistry);
        expect(placed).toEqual(Object.keys(ir.nodes));
        expectLaidOut(ir, layout);
      }),
      { numRuns: 100 },
    );
  });

  it("F-20: so it is with hundreds of nodes", () => {
    fc.assert(
      fc.property(fc.gen(), (draw) => {
        const ir = flowOf(draw, 100);
        expectLaidOut(ir, layoutFlow(ir, testRegistry).layout);
      }),
      { numRuns: 8 },
    );
  });

  it("F-20: the same flow gets the same coordinates, and a second run places nothing", () => {
    fc.assert(
      fc.property(fc.gen(), (draw) => {
        const ir = flowOf(draw, 12);
        const { layout } = layoutFlow(ir, testRegistry);
        expect(layoutFlow(structuredClone(ir), testRegistry).layout).toEqual(layout);
        const again = layoutFlow(ir, testRegistry, { kept: layout });
        expect(again).toEqual({ layout, placed: [], removed: [] });
      }),
      { numRuns: 50 },
    );
  });

  it("F-20: what stands somewhere stays there, and what is new covers nothing", () => {
    fc.assert(
      fc.property(fc.gen(), fc.infiniteStream(fc.boolean()), (draw, coins) => {
        const ir = flowOf(draw, 12);
        const { layout } = layoutFlow(ir, testRegistry);
        const shift = draw(fc.integer, { min: -2000, max: 2000 });
        const nodes = Object.fromEntries(
          Object.entries(layout.nodes)
            .filter(() => coins.next().value)
            .map(([id, box]) => [id, { ...box, x: box.x + shift, y: box.y - shift }]),
        );
        const { layout: next, placed } = layoutFlow(ir, testRegistry, { kept: { nodes } });
        expect(next.nodes).toMatchObject(nodes);
        expect(overlaps(next)).toEqual([]);
        expect([...placed, ...Object.keys(nodes)].toSorted()).toEqual(Object.keys(ir.nodes).toSorted());
        expect(layoutFlow(ir, testRegistry, { kept: { nodes }, all: true }).layout).toEqual(layout);
      }),
      { numRuns: 50 },
    );
  });
});
