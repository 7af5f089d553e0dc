import { describe, expect, test } from "vitest";
import {
  mergeReferences,
  noReferences,
  readIds,
  readReferences,
  referenceList,
  referencesText,
} from "./references.ts";
import type { ContextReferences } from "./references.ts";

const all: ContextReferences = {
  knowledge: ["notes", "faq"],
  skills: ["triage"],
  mcp: ["issues"],
  workspace: { id: "repo", access: "read-write" },
};

describe("ids of the catalogue", () => {
  test.each([
    ['["a","b.c-d_E9"]', ["a", "b.c-d_E9"]],
    [" a , b ", ["a", "b"]],
    ["notes", ["notes"]],
  ])("D51: %s is a list of ids", (text, ids) => expect(readIds(text)).toEqual(ids));

  test.each([
    "",
    "[]",
    "[1]",
    '["a",""]',
    "a,,b",
    "a,a",
    "../a",
    "a b",
    "-a",
    '{"a":1}',
    '["a"',
    "a".repeat(129),
  ])("D51: %j is none", (text) => expect(readIds(text)).toBeNull());
});

describe("the text of a context slot", () => {
  test("L-38: what was written comes back, and equal references give equal text", () => {
    expect(readReferences(referencesText(all))).toEqual(all);
    const { workspace, mcp, skills, knowledge } = all;
    expect(referencesText({ workspace, mcp, skills, knowledge })).toBe(referencesText(all));
    expect(readReferences(referencesText(noReferences))).toEqual(noReferences);
    expect(readReferences(" ")).toEqual(noReferences);
  });

  test.each([
    "text",
    "[]",
    "null",
    '{"knowledge":"notes"}',
    '{"knowledge":[]}',
    '{"other":["a"]}',
    '{"workspace":null}',
    '{"workspace":{"id":"a","access":"root"}}',
    '{"workspace":{"id":"a","access":"read-only","path":"/"}}',
    '{"__proto__":["a"]}',
  ])("L-48: %s is no context", (text) => expect(readReferences(text)).toBeNull());

  test("L-38: each reference is a line of the fingerprint, the access to a workspace with it", () => {
    expect(referenceList(all)).toEqual([
      "knowledge:notes",
      "knowledge:faq",
      "skills:triage",
      "mcp:issues",
      "workspace:repo:read-write",
    ]);
    expect(referenceList(noReferences)).toEqual([]);
  });

  test("2.7: a bundle holds everything once, in order, and one workspace at most", () => {
    const more = { ...noReferences, knowledge: ["faq", "more"] };
    expect(mergeReferences([more, all])).toEqual({ ...all, knowledge: ["faq", "more", "notes"] });
    expect(mergeReferences([all, all])).toEqual(all);
    for (const workspace of [
      { id: "other", access: "read-write" },
      { id: "repo", access: "read-only" },
    ] as const)
      expect(mergeReferences([all, { ...noReferences, workspace }])).toBeNull();
    expect(mergeReferences([])).toEqual(noReferences);
  });
});
