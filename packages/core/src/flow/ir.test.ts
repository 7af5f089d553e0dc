import { expect, test } from "vitest";
import { flow, node } from "../testing/build-ir.ts";
import { compareEdges, irSchema } from "./ir.ts";

const good = () => flow({ a: node("tool.nodejs", { script: "true" }) }, [], ["a"]);

/** The flow with one value of it replaced; undefined takes it out. */
function spoiled(path: readonly string[], value: unknown): unknown {
  const [last = "", ...parents] = path.toReversed();
  const ir = good();
  const parent = parents.reduceRight<object>((at, key) => Reflect.get(at, key) as object, ir);
  Reflect.set(parent, last, value);
  return JSON.parse(JSON.stringify(ir));
}

test("F-17: the schema takes a flow as it is built", () => {
  expect(irSchema.safeParse(good()).error).toBeUndefined();
});

test.each<[string, readonly string[], unknown]>([
  ["an unknown field", ["extra"], 1],
  ["an unknown field of a node", ["nodes", "a", "extra"], 1],
  ["an unknown schema version", ["schema"], 2],
  ["no schema version", ["schema"], undefined],
  ["a node without a field", ["nodes", "a", "pins"], undefined],
  ["an id that is no identifier", ["nodes", "a-b"], good().nodes["a"]],
  ["a pin of two kinds", ["nodes", "a", "pins", "x"], { text: "1", json: "1" }],
  ["a pin that is no text", ["nodes", "a", "pins", "x"], { json: 1 }],
  ["an unknown slot type", ["nodes", "a", "inputs", "x"], "number"],
  ["an edge by anything but names", ["edges", "0"], { from: { node: "a", slot: 0 }, to: "a" }],
  [
    "an edge from a slot without a name",
    ["edges", "0"],
    { from: { node: "a", slot: "" }, to: { node: "a", slot: "x" } },
  ],
  ["positions among the nodes", ["nodes", "a", "x"], 10],
])("F-17: %s is refused", (_what, path, value) => {
  expect(irSchema.safeParse(spoiled(path, value)).success).toBe(false);
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
