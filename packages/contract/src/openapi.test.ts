import { expect, test } from "vitest";
import { openApiDocument } from "./openapi.ts";
import { operations } from "./operations.ts";
import type { Operation } from "./operations.ts";

const document = openApiDocument() as {
  paths: Record<
    string,
    Record<string, { operationId: string; responses: object; parameters?: { name: string; in: string }[] }>
  >;
  components: { schemas: Record<string, unknown> };
};

test("S-18: docs/http-api/openapi.json is what the contract says (vitest -u writes it anew)", async () => {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../../docs/http-api/openapi.json");
});

test("S-18: every operation is described, with every parameter of its path", () => {
  const described = Object.values(document.paths).flatMap((path) => Object.values(path));
  expect(described.map(({ operationId }) => operationId).toSorted()).toEqual(
    Object.keys(operations).toSorted(),
  );
  for (const [id, operation] of Object.entries<Operation>(operations)) {
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(operation.parameters ?? [], id).toEqual(names);
    const found = described.find(({ operationId }) => operationId === id);
    expect(found?.parameters?.filter((one) => one.in === "path").map(({ name }) => name) ?? [], id).toEqual(
      names,
    );
  }
});

test("S-18: every reference in the document leads somewhere", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? "");
  expect(references.length).toBeGreaterThan(20);
  for (const reference of new Set(references)) {
    const name = reference.replace("#/components/schemas/", "");
    expect(Object.keys(document.components.schemas), reference).toContain(name);
  }
});

test("3.4: unknown fields of bodies are described as refused, answers as open", () => {
  const { StartRun, Run } = document.components.schemas;
  expect(StartRun).toMatchObject({ additionalProperties: false });
  expect(Run).not.toHaveProperty("additionalProperties");
});
