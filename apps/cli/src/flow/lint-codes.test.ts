import { builtInNodes, createRegistry, defaultRegistry, defineNode, LINT_CODES } from "@agentflow/core";
import type { Finding, Ir } from "@agentflow/core";
import { parseFlow } from "@agentflow/dsl";
import { bundleLimits, lintFlow } from "@agentflow/engine";
import { describe, expect, test } from "vitest";
import { lintFolder } from "../commands/flow.ts";
import { CALL, FILES, HERE } from "../testing/lint/fixture.ts";
import type { LintFixture } from "../testing/lint/fixture.ts";
import { lintFixtures } from "../testing/lint/fixtures.ts";

const noSource = () => ({ ir: null, findings: [], positions: new Map(), fields: new Map() });
const LIMITS = { maxIterations: 1000, maxTimeoutMs: 604_800_000, maxBundleBytes: 16_777_216 };

/** Everything `agentflow flow dsl lint` says about a folder with this flow file, as errors and warnings. */
function lintText(source: string | null): readonly Finding[] {
  const files = FILES.map((path) => ({ path, bytes: new Uint8Array(), executable: false }));
  const { errors, warnings } = lintFolder({ source, layout: null, files }, LIMITS);
  return [...errors, ...warnings];
}

const codesOf = (found: readonly Finding[], severity: Finding["severity"]): readonly string[] =>
  found.filter((finding) => finding.severity === severity).map(({ code }) => code);

/** Line and column of the mark, counted from 1. */
function placeOf(text: string | null): { line: number | null; column: number | null } {
  const before = text?.split(HERE);
  if (before?.length !== 2) return { line: null, column: null };
  const lines = (before[0] ?? "").split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function check({ code, bad, mended, severity = "error", node, field, also = [] }: LintFixture): void {
  const found = lintText(bad?.replace(HERE, "") ?? null);
  const wanted = { code, severity, node: node ?? null, field: field ?? null, ...placeOf(bad) };
  expect(found.filter((finding) => finding.code === code)).toEqual([
    { ...wanted, message: expect.stringMatching(/^.{20,}\.$/s) },
  ]);
  expect(codesOf(found, "error").toSorted()).toEqual(
    [...also, ...(severity === "error" ? [code] : [])].toSorted(),
  );
  const left = lintText(mended);
  expect(codesOf(left, "error")).toEqual([]);
  expect(left.filter((finding) => finding.code === code)).toEqual([]);
}

describe("each code, its place, and the flow without it (2-flows 2.5)", () => {
  test.each(lintFixtures.map((fixture) => [`${fixture.code}: ${fixture.what}`, fixture] as const))(
    "%s",
    (_, fixture) => check(fixture),
  );
});

describe("one lint at both doors (F-19, P-68)", () => {
  /** Without places, which only a text has, and without what only reading a text finds. */
  const said = (found: readonly Finding[]) =>
    found.map(({ code, severity, node, field, message }) => ({ code, severity, node, field, message }));

  test.each(
    lintFixtures
      .map((fixture) => ({ fixture, text: fixture.bad?.replace(HERE, "") ?? "" }))
      .map((given) => ({ ...given, parsed: parseFlow({ text: given.text, files: new Set(FILES) }) }))
      .filter(({ parsed }) => parsed.ir !== null && parsed.findings.length === 0)
      .map(({ fixture, text, parsed }) => [`${fixture.code}: ${fixture.what}`, text, parsed.ir] as const),
  )("%s is found in the IR as in the flow file", (_, text, ir) => {
    const files = new Map(
      FILES.map((path) => [path, { bytes: new Uint8Array(), executable: false }] as const),
    );
    const deps = { registry: defaultRegistry, caps: LIMITS, bundleLimits, parseSource: noSource };
    const linted = lintFlow(deps, { source: null, irText: JSON.stringify(ir), files });
    if (linted.kind !== "linted") throw new Error(linted.kind);
    const sorted = (found: readonly Finding[]) =>
      said(found).toSorted((a, b) => (a.message < b.message ? -1 : 1));
    expect(sorted([...linted.errors, ...linted.warnings])).toEqual(sorted(lintText(text)));
  });
});

/** A node type that parks the run, which no built-in one does. */
const waits = defineNode({
  type: "test.waits",
  pauses: true,
  card: { title: "Waits", icon: "hand", tone: "slate" },
  run: () => ({ kind: "pause" }),
});

/** Codes of an IR that comes as JSON, with that node type in the catalogue (F-19). */
function lintIr(ir: Ir): readonly string[] {
  const linted = lintFlow(
    {
      registry: createRegistry([...builtInNodes, waits]),
      caps: LIMITS,
      bundleLimits,
      parseSource: noSource,
    },
    { source: null, irText: JSON.stringify(ir), files: new Map() },
  );
  if (linted.kind !== "linted") throw new Error(linted.kind);
  return linted.errors.map(({ code, node, field }) => `${code} ${node}.${field}`);
}

/** The IR of the call fixture, changed. */
function callIr(change: (ir: Ir) => void): Ir {
  const { ir } = parseFlow({ text: CALL, files: new Set() });
  if (ir === null) throw new Error("the call cannot be read");
  change(ir);
  return ir;
}

describe("codes that no flow file has, only an IR (F-19)", () => {
  test("D14: two edges into one slot", () => {
    const wired = (slot: string) =>
      callIr(({ nodes, edges }) => {
        nodes["more"] = { ...nodes["shown"]!, definition: "provide.text", pins: { value: { text: "tea" } } };
        nodes["also"] = { ...nodes["shown"]! };
        edges.push({ from: { node: "more", slot: "value" }, to: { node: slot, slot: "content" } });
      });
    expect(lintIr(wired("shown"))).toEqual(["D14 shown.content"]);
    expect(lintIr(wired("also"))).toEqual([]);
  });

  test("D43: a node in a subflow that may wait; in the parent graph it may", () => {
    const waiting = (id: "write" | "shown") =>
      callIr(({ nodes, edges, subflows }) => {
        nodes[id] = { ...nodes[id]!, definition: "test.waits", script: null, inputs: {} };
        edges.splice(0, edges.length, ...edges.filter(({ to }) => to.node !== id || to.slot === "prev"));
        subflows["draft"]!.outputs = {};
        edges.splice(0, edges.length, ...edges.filter(({ from }) => from.slot !== "text"));
        nodes["call"] = { ...nodes["call"]! };
      });
    expect(lintIr(waiting("write"))).toContain("D43 write.null");
    expect(lintIr(waiting("shown"))).toEqual([]);
  });

  test("D21: a member that does not exist", () => {
    const gone = callIr(({ subflows }) => subflows["draft"]!.members.push("gone"));
    expect(lintIr(gone)).toEqual(["D21 draft.gone"]);
    expect(lintIr(callIr(() => {}))).toEqual([]);
  });
});

test("2.5: every code has a flow file or an IR that has it, and one that has not", () => {
  const shown = new Set<string>(lintFixtures.map(({ code }) => code));
  const missing = Object.keys(LINT_CODES).filter((code) => !shown.has(code));
  // The two of the IR above.
  expect(missing).toEqual(["D14", "D43"]);
});
