import { expect, test } from "vitest";
import type { Finding } from "../flow/findings.ts";
import { irSchema } from "../flow/ir.ts";
import type { Ir, IrNode, IrSubflow } from "../flow/ir.ts";
import { lint } from "../flow/lint/lint.ts";
import { defineNode } from "../nodes/definition.ts";
import { builtInNodes, createRegistry } from "../nodes/registry.ts";
import { edges, flow, node, referenceCall, referenceLoop } from "./build-ir.ts";

/** A flow that may be edited by short steps. */
export type Draft = {
  readonly ir: Ir;
  readonly node: (id: string) => IrNode;
  readonly subflow: (id: string) => IrSubflow;
  readonly wire: (...lines: readonly string[]) => void;
  readonly unwire: (line: string) => void;
};

export type Edit = (draft: Draft) => void;

/** The loop of 2-flows 2.9, edited. */
export const loopWith = (edit: Edit = () => {}): Ir => editedIr(referenceLoop(), edit);
/** The subflow call of 2-flows 2.9, edited. */
export const callWith = (edit: Edit = () => {}): Ir => editedIr(referenceCall(), edit);
/** A flow with one command, edited. */
export const small = (edit: Edit = () => {}): Ir =>
  editedIr(flow({ only: node("tool.nodejs", { script: "true" }) }, [], ["only"]), edit);

const card = { title: "", icon: "", tone: "" };

/** The built-in nodes, one that waits, and one with a prompt and free outputs. */
export const registry = createRegistry([
  ...builtInNodes,
  defineNode({ type: "test.pauses", pauses: true, card, run: () => ({ kind: "pause" }) }),
  defineNode({
    type: "test.agent",
    text: "body",
    freeInputs: true,
    freeOutputs: true,
    outputs: { result: { type: "text" } },
    card,
    run: () => ({ kind: "command" }),
  }),
]);

/** Findings under the default caps, in a bundle that holds only `scripts/there.mjs`. */
export function findings(ir: Ir): Finding[] {
  expect(irSchema.safeParse(ir).success).toBe(true);
  const caps = { maxIterations: 1000, maxTimeoutMs: 604_800_000 };
  return lint(ir, {
    registry,
    caps,
    hasFile: (path) => ["scripts/there.mjs", "scripts/there.sh"].includes(path),
  });
}

type Case = {
  readonly broken: Ir;
  readonly mended: Ir;
  readonly severity?: "error" | "warning";
  /** Codes of other errors that the same mistake makes. */
  readonly also?: readonly string[];
};

/** Tests that a broken flow has exactly one finding of a code, at `node.field`, and its mended twin no error at all. */
export function finds(
  code: string,
  place: string,
  what: string,
  { broken, mended, severity = "error", also = [] }: Case,
): void {
  const [id, field] = place.split(".");
  const expected = { code, severity, node: id || null, field: field ?? null, line: null, column: null };
  test(`${code} (${severity}): ${what}`, () => {
    const found = findings(broken);
    expect(found.filter((finding) => finding.code === code)).toEqual([
      { ...expected, message: expect.stringMatching(/^.{20,}[.?]$/s) },
    ]);
    const errors = found.filter((finding) => finding.severity === "error").map((finding) => finding.code);
    expect(errors).toEqual([...also, ...(severity === "error" ? [code] : [])].toSorted());
    const left = findings(mended);
    expect(left.filter((finding) => finding.severity === "error")).toEqual([]);
    expect(left.filter((finding) => finding.code === code && finding.field === expected.field)).toEqual([]);
  });
}

/** Any flow, edited. */
export function editedIr(ir: Ir, edit: Edit): Ir {
  edit({
    ir,
    node: (id) => existing(ir.nodes[id], id),
    subflow: (id) => existing(ir.subflows[id], id),
    wire: (...lines) => ir.edges.push(...edges(...lines)),
    unwire: (line) => {
      const gone = JSON.stringify(edges(line)[0]);
      const kept = ir.edges.filter((edge) => JSON.stringify(edge) !== gone);
      if (kept.length === ir.edges.length) throw new Error(`no edge ${line}`);
      ir.edges = kept;
    },
  });
  return ir;
}

function existing<T>(value: T | undefined, id: string): T {
  if (value === undefined) throw new Error(`no ${id}`);
  return value;
}
