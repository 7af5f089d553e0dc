import { expect, test } from "vitest";
import { layoutSchema } from "./layout.ts";

const box = { x: -1.5, y: 0, width: 240, height: 80 };

test("F-1: a layout holds positions and sizes by node id", () => {
  const layout = { nodes: { a: box, é: box, $: { ...box, x: 1e3 } } };
  expect(layoutSchema.parse(layout)).toEqual(layout);
  expect(layoutSchema.parse({ nodes: {} })).toEqual({ nodes: {} });
});

test.each([
  ["nothing", {}],
  ["a list", []],
  ["another member", { nodes: {}, zoom: 1 }],
  ["more of a node than place and size", { nodes: { a: { ...box, label: "a" } } }],
  ["a node without a size", { nodes: { a: { x: 0, y: 0 } } }],
  ["a text for a number", { nodes: { a: { ...box, x: "1" } } }],
  ["no number", { nodes: { a: { ...box, x: Number.NaN } } }],
  ["a place nobody can draw", { nodes: { a: { ...box, y: 1e300 } } }],
  ["no size", { nodes: { a: { ...box, width: 0 } } }],
  ["a node id that is none", { nodes: { "a b": box } }],
])("F-1: %s is no layout", (_, value) => {
  expect(layoutSchema.safeParse(value).success).toBe(false);
});
