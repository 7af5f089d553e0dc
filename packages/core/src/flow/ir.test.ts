import { expect, test } from "vitest";
import { flow, node } from "../testing/build-ir.ts";
import { compareEdges, irSchema } from "./ir.ts";

const good = () => flow({ a: node("tool.nodejs", { script: "true" }) }, [], ["a"]);

test("F-17: the schema takes a flow as it is built", () => {
  expect(irSchema.safeParse(good()).error).toBeUndefined();
});

test.each<[string, (ir: Record<string, any>) => void]>([
  ["an unknown field", (ir) => (ir["extra"] = 1)],
  ["an unknown field of a node", (ir) => (ir["nodes"].a.extra = 1)],
  ["an unknown schema version", (ir) => (ir["schema"] = 2)],
  ["no schema version", (ir) => delete ir["schema"]],
  ["a node without a field", (ir) => delete ir["nodes"].a.pins],
  ["an id that is no identifier", (ir) => (ir["nodes"]["a-b"] = ir["nodes"].a)],
  ["a pin of two kinds", (ir) => (ir["nodes"].a.pins = { x: { text: "1", json: "1" } })],
  ["a pin that is no text", (ir) => (ir["nodes"].a.pins = { x: { json: 1 } })],
  ["an unknown slot type", (ir) => (ir["nodes"].a.inputs = { x: "number" })],
  ["an edge by anything but names", (ir) => (ir["edges"] = [{ from: { node: "a", slot: 0 }, to: "a" }])],
  [
    "an edge from a slot without a name",
    (ir) => (ir["edges"] = [["", "a"].map((slot) => ({ node: "a", slot }))]),
  ],
  ["positions among the nodes", (ir) => (ir["nodes"].a.x = 10)],
])("F-17: %s is refused", (_what, spoil) => {
  const ir = good();
  spoil(ir);
  expect(irSchema.safeParse(ir).success).toBe(false);
});

test("F-17: edges are ordered by source, then target, the same everywhere, and only equal ones are equal", () => {
  const edge = (text: string) => {
    const [a = "", b = "", c = "", d = ""] = text.split(" ");
    return { from: { node: a, slot: b }, to: { node: c, slot: d } };
  };
  const sorted = ["Z a a a", "a B a a", "a b a a", "a b a b", "a b ä a", "é a a a"].map(edge);
  expect(sorted.toReversed().toSorted(compareEdges)).toEqual(sorted);
  for (const [index, one] of sorted.entries())
    for (const [other, two] of sorted.entries()) expect(compareEdges(one, two) === 0).toBe(index === other);
});
