import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Ir } from "../flow/ir.ts";
import { definitionText, loopFingerprintText } from "./fingerprint.ts";
import { idempotencyKey } from "./key.ts";
import type { IterationIdentity } from "./key.ts";
import { frameKey, loopKey } from "./path.ts";
import type { FrameSegment } from "./path.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const identity: fc.Arbitrary<IterationIdentity> = fc.record({
  runId: fc.uuid(),
  path: fc.string(),
  epoch: fc.nat(),
  fingerprint: fc.string(),
  iteration: fc.nat(),
});

describe("idempotency keys", () => {
  it("L-14, AC-65: have 36 characters of [A-Za-z0-9_], the first 32 hex digits of SHA-256 over the joined parts", () => {
    const parts = { runId: "r", path: '["loop"]', epoch: 2, fingerprint: "f", iteration: 7 };
    expect(idempotencyKey(sha256, parts)).toBe(`afw_${sha256('r\0["loop"]\x002\0f\x007').slice(0, 32)}`);
    fc.assert(fc.property(identity, (one) => /^afw_[0-9a-f]{32}$/.test(idempotencyKey(sha256, one))));
  });

  it("L-14: equal for equal identities, different for any other", () => {
    fc.assert(
      fc.property(identity, identity, (a, b) => {
        const same = JSON.stringify(a) === JSON.stringify(b);
        expect(idempotencyKey(sha256, a)).toBe(idempotencyKey(sha256, { ...a }));
        expect(idempotencyKey(sha256, a) === idempotencyKey(sha256, b)).toBe(same);
      }),
    );
  });
});

describe("frames and loop paths", () => {
  const name = fc.string({ minLength: 1 });
  const segment: fc.Arbitrary<FrameSegment> = fc.oneof(
    fc.record({ node: name }),
    fc.record({ node: name, role: fc.constantFrom("condition", "body"), iteration: fc.nat() }),
  );
  it("P-06: different places never share a key, whatever the names hold", () => {
    const frame = fc.array(segment, { maxLength: 4 });
    fc.assert(
      fc.property(frame, frame, (a, b) => {
        expect(frameKey(a) === frameKey(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });
  it("P-06: a loop of the parent graph is its id in a list; an inner one carries the iterations around it", () => {
    expect(loopKey({ frame: [], node: "step:1" })).toBe('["step:1"]');
    const inside: FrameSegment = { node: "loop", role: "body", iteration: 3 };
    expect(loopKey({ frame: [inside, { node: "call" }], node: "inner" })).toBe(
      '[["loop","body",3],["call"],"inner"]',
    );
  });
});

describe("fingerprints", () => {
  const blank = { label: "", scriptRef: null, body: null, bodyRef: null, pins: {}, inputs: {}, outputs: {} };
  const flowWith = (change: (ir: Ir) => void): Ir => {
    const ir: Ir = {
      schema: 1,
      nodes: {
        in: { ...blank, definition: "flow.input", script: null, attributes: { name: "state", type: "json" } },
        judge: {
          ...blank,
          definition: "tool.nodejs",
          script: "judge",
          attributes: {},
          inputs: { state: "json" },
        },
        loop: {
          ...blank,
          definition: "control.while",
          script: null,
          attributes: { condition: "c", body: "b" },
        },
      },
      edges: [{ from: { node: "in", slot: "value" }, to: { node: "judge", slot: "state" } }],
      subflows: {
        c: { label: "C", inputs: { state: "in" }, outputs: {}, roots: ["judge"], members: ["in", "judge"] },
        b: { label: "B", inputs: {}, outputs: {}, roots: [], members: [] },
      },
      run: { id: "run", label: "", roots: ["loop"] },
    };
    change(ir);
    return ir;
  };
  const plain = definitionText(
    flowWith(() => undefined),
    "loop",
  );
  const config = { state: '{"a":1,"b":2}', maxIterations: 5, timeoutMs: 1000 };

  it.each<[string, (ir: Ir) => void]>([
    ["the label of the loop", (ir) => (ir.nodes["loop"]!.label = "x")],
    ["the label of an inner node", (ir) => (ir.nodes["judge"]!.label = "x")],
    ["the label of a subflow", (ir) => (ir.subflows["c"]!.label = "x")],
    [
      "the written limits, which count resolved",
      (ir) => (ir.nodes["loop"]!.pins = { timeout: { text: "30m" } }),
    ],
    ["a node outside", (ir) => (ir.nodes["other"] = { ...ir.nodes["judge"]!, script: "other" })],
  ])("L-38: %s does not enter", (_title, change) => {
    expect(definitionText(flowWith(change), "loop")).toBe(plain);
  });

  it.each<[string, (ir: Ir) => void]>([
    ["AC-51: one space in an inner script", (ir) => (ir.nodes["judge"]!.script = "judge ")],
    ["an edge", (ir) => (ir.edges = [])],
    ["a pin of an inner node", (ir) => (ir.nodes["judge"]!.pins = { extra: { text: "1" } })],
    [
      "which subflow is the Condition",
      (ir) => (ir.nodes["loop"]!.attributes = { condition: "b", body: "b" }),
    ],
    ["a contract", (ir) => (ir.subflows["b"]!.outputs = { state: { node: "judge", slot: "result" } })],
  ])("L-38: %s enters", (_title, change) => {
    expect(definitionText(flowWith(change), "loop")).not.toBe(plain);
  });

  it("L-38, P-51: key order and number spelling of the initial state do not enter, its values do", () => {
    const text = (state: string) => loopFingerprintText(plain, { ...config, state }, new Map(), []);
    expect(text('{"b":2.0,"a":1}')).toBe(text('{"a":1,"b":2}'));
    expect(text('{"a":1,"b":3}')).not.toBe(text('{"a":1,"b":2}'));
  });

  it("L-38, L-43: limits and context references enter; a run product enters by its source, not by its value", () => {
    const base = loopFingerprintText(plain, config, new Map(), []);
    expect(loopFingerprintText(plain, { ...config, maxIterations: 6 }, new Map(), [])).not.toBe(base);
    expect(loopFingerprintText(plain, { ...config, timeoutMs: 1001 }, new Map(), [])).not.toBe(base);
    expect(loopFingerprintText(plain, config, new Map(), ["knowledge:a"])).not.toBe(base);
    const product = new Map([["state", { source: "abc", slot: "result" }]]);
    const other = { ...config, state: '"other"' };
    expect(loopFingerprintText(plain, config, product, [])).toBe(
      loopFingerprintText(plain, other, product, []),
    );
  });
});
