import { readFileSync } from "node:fs";
import { builtInNodes, createRegistry, defineNode, lint } from "@agentflow/core";
import type { Ir, NodeDefinition } from "@agentflow/core";
import { layoutFlow, parseFlow, roundTrip } from "@agentflow/dsl";
import { Rig } from "@agentflow/engine/testing";
import { describe, expect, test } from "vitest";
import { toolSlug } from "./nodes/tool-slug.ts";

const guide = readFileSync(new URL("../../docs/nodes.md", import.meta.url), "utf8");
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "m").exec(guide)?.[1] ?? "";

const withNode = (node: NodeDefinition) => createRegistry([...builtInNodes, node]);
const registry = withNode(toolSlug);

function read(text: string, nodes = registry): { ir: Ir; codes: readonly string[] } {
  const { ir, findings } = parseFlow({ text, files: new Set(), registry: nodes });
  if (ir === null) throw new Error("the flow cannot be read");
  const caps = { maxIterations: 1000, maxTimeoutMs: 604_800_000 };
  const all = [...findings, ...lint(ir, { registry: nodes, caps })];
  return { ir, codes: all.map(({ code, node, field }) => `${code} ${node}.${field}`) };
}

describe("the worked example of the guide (F-25)", () => {
  test("the guide shows the very file that is tested", () => {
    const file = readFileSync(new URL("./nodes/tool-slug.ts", import.meta.url), "utf8");
    expect(block("ts")).toBe(file.replace('"@agentflow/core"', '"./definition.ts"'));
  });

  test("F-25: a registry with the new node is all that language, lint, layout and engine need", async () => {
    const { ir, codes } = read(block("js"));
    expect(codes).toEqual([]);
    expect(roundTrip(ir, registry)).toMatchObject({ ok: true });
    expect(layoutFlow(ir, registry).placed).toEqual(["title", "slug", "shown"]);
    const rig = new Rig(() => "", { registry });
    expect((await rig.story(await rig.runFlow(ir))).outputs).toEqual([
      { node: "shown", value: "žluťoučký-kůň-2nd-edition" },
    ]);
    rig.close();
  });

  test.each([
    ["a pin that is not allowed", '{ text: title.value, separator: "+" }', ["D13 slug.separator"]],
    ["a pin that is missing", "{}", ["D13 slug.text"]],
    ["a pin it does not have", '{ text: title.value, more: "x" }', ["D09 slug.more"]],
    ["a pin that is allowed", '{ text: title.value, separator: "_" }', []],
  ])("F-25: lint holds %s to the schema of its pins", (_, pins, wanted) => {
    const { codes } = read(block("js").replace("{ text: title.value }", pins));
    expect(codes.filter((code) => !code.startsWith("D60"))).toEqual(wanted);
  });

  test("F-25: a wired value that is not allowed fails the node, and its run is not called", async () => {
    const text = block("js").replace(
      "{ text: title.value }",
      "{ text: title.value, separator: title.value }",
    );
    const { ir, codes } = read(text);
    expect(codes).toEqual([]);
    const rig = new Rig(() => "", { registry });
    expect(await rig.story(await rig.runFlow(ir))).toMatchObject({
      status: "failed",
      failure: { code: "config_invalid", node: "slug", message: expect.stringContaining("separator") },
    });
    rig.close();
  });
});

describe("nodes that ask to wait (L-20)", () => {
  const waits = (pauses: boolean): NodeDefinition =>
    defineNode({
      type: "tool.approval",
      pauses,
      card: { title: "Approval", icon: "hand", tone: "amber" },
      run: () => ({ kind: "pause" }),
    });
  const loop = `const checkState = flow.input("state", "json");
const checkIteration = flow.input("iteration", "text");
const judge = tool.nodejs("Judge", { state: checkState.value }, "judge");
export const goOn = flow.subflow("Go on?", { state: checkState, iteration: checkIteration }, flow(judge), { decision: judge.result });
const bodyState = flow.input("state", "json");
const bodyIteration = flow.input("iteration", "text");
const bodyKey = flow.input("idempotencyKey", "text");
const asked = tool.approval("Ask");
export const advance = flow.subflow("Advance", { state: bodyState, iteration: bodyIteration, idempotencyKey: bodyKey }, flow(asked), { state: bodyState.value });
const loop = control.while("Loop", { state: "{}", maxIterations: "5", timeout: "1m" }, goOn, advance);
export const run = flow("Run", loop);
`;

  test("D43: one that says so is refused inside a subflow, and nothing is registered", async () => {
    const nodes = withNode(waits(true));
    const { ir, codes } = read(loop, nodes);
    expect(codes).toEqual(["D43 asked.null"]);
    const rig = new Rig(() => "", { registry: nodes });
    await expect(rig.register(ir)).rejects.toThrow("D43");
    rig.close();
  });

  test("AC-84: one that does not say so fails the iteration: the run is failed, not waiting, and its state untouched", async () => {
    const nodes = withNode(waits(false));
    const { ir, codes } = read(loop, nodes);
    expect(codes).toEqual([]);
    const rig = new Rig(() => "continue", { registry: nodes });
    expect(await rig.story(await rig.runFlow(ir))).toMatchObject({
      status: "failed",
      code: "subflow_paused",
      failure: { node: "asked", iteration: 1 },
      state: "{}",
      iterations: 0,
      history: [],
    });
    rig.close();
  });
});
