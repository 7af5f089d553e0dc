import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createClient, operations } from "@agentflow/contract";
import { expect, test } from "vitest";

const guide = readFileSync(fileURLToPath(new URL("../../docs/http-api.md", import.meta.url)), "utf8");

test("S-18: every call of the examples is one of the contract's, every method one of the client's", () => {
  const paths = Object.values(operations).map(({ path }) => path.replaceAll(/\{\w+\}/g, "*"));
  const curls = [...guide.matchAll(/\$AGENTFLOW_URL(\/[^"?\s]*)/g)].map(([, path = ""]) =>
    path.replaceAll(/\$\w+/g, "*").replace("/flows/import-contacts/", "/flows/*/"),
  );
  expect(curls.length).toBeGreaterThan(8);
  for (const path of curls) expect(paths).toContain(path);
  const methods = [...guide.matchAll(/client\.(\w+)\(/g)].map(([, name = ""]) => name);
  expect(methods.length).toBeGreaterThan(8);
  const client = createClient({ url: "http://127.0.0.1:1" });
  for (const name of methods) expect(client).toHaveProperty(name);
});

test("S-15: the bodies of the examples are JSON", () => {
  const bodies = [...guide.matchAll(/-d '([^']+)'/g)].map(([, body = ""]) => body);
  expect(bodies.length).toBeGreaterThan(4);
  for (const body of bodies) expect(() => JSON.parse(body) as unknown).not.toThrow();
});
