import { readFileSync } from "node:fs";
import { operations } from "@agentflow/contract";
import type { Operation } from "@agentflow/contract";
import { expect, test } from "vitest";

const doc = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");

/** The calls that a row of the table of scopes names. */
function documented(scope: string): readonly string[] {
  const row = doc.split("\n").find((line) => line.startsWith(`| ${scope} `)) ?? "";
  return [...row.matchAll(/`((?:GET|POST|PUT|DELETE) [^`]+)`/g)].map(([, call]) => call ?? "").toSorted();
}

test.each([
  ["nothing", null],
  ["`read`", "read"],
  ["`run`", "run"],
  ["`admin`", "admin"],
])("S-19: docs/security.md says which calls need %s", (row, wanted) => {
  const calls = Object.values<Operation>(operations)
    .filter(({ scope }) => scope === wanted)
    .map(({ method, path }) => `${method} ${path}`);
  expect(documented(row)).toEqual(calls.toSorted());
});

test("S-22, L-49: docs/security.md says of every table what it holds", () => {
  const schema = readFileSync(new URL("../../migrations/schema.sql", import.meta.url), "utf8");
  const tables = [...schema.matchAll(/^table (\w+)/gm)].map(([, name]) => name ?? "");
  const silent = new Set(["flow", "run_count", "run_count_change"]);
  for (const table of tables.filter((name) => !silent.has(name)))
    expect(doc, table).toContain(`\`${table}\``);
});
