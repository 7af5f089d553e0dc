import { describe, expect, it } from "vitest";
import type { Finding } from "./findings.ts";
import { mergeFindings } from "./merge-findings.ts";

function finding(code: string, node: string | null, field: string | null, line: number | null): Finding {
  return { code, severity: "error", node, field, line, column: line === null ? null : 7, message: code };
}

describe("findings of reading and of lint as one list (2-flows 2.5)", () => {
  it("lint's findings stand between those of reading, by place, the ones without a place last", () => {
    const merged = mergeFindings(
      [finding("D02", null, null, 1), finding("D06", "a", "x", 5)],
      [finding("D60", null, null, null), finding("D13", "b", "y", 3)],
      new Map(),
    );
    expect(merged.map(({ code }) => code)).toEqual(["D02", "D13", "D06", "D60"]);
  });

  it("a finding about a field gets the field's place", () => {
    const places = new Map([["b", new Map([["y", { line: 4, column: 3 }]])]]);
    expect(
      mergeFindings([], [finding("D13", "b", "y", 3), finding("D50", "b", "z", 3)], places),
    ).toMatchObject([
      { code: "D50", line: 3, column: 7 },
      { code: "D13", line: 4, column: 3 },
    ]);
  });

  it("lint does not repeat what reading said, nor miss what reading could not take", () => {
    const parsed = [finding("D07", "a", null, 1), finding("D06", "b", "x", 2)];
    const linted = [
      finding("D07", "a", null, 1),
      finding("D60", "a", null, 1),
      finding("D50", "b", "x", 2),
      finding("D24", "b", "x", 2),
      finding("D50", "b", "y", 2),
      finding("D07", "c", null, 2),
    ];
    const merged = mergeFindings(parsed, linted, new Map());
    expect(merged.map(({ code, node, field }) => [code, node, field])).toEqual([
      ["D07", "a", null],
      ["D60", "a", null],
      ["D06", "b", "x"],
      ["D24", "b", "x"],
      ["D50", "b", "y"],
      ["D07", "c", null],
    ]);
  });
});
