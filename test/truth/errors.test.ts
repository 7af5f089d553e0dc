import { readFileSync } from "node:fs";
import { ERRORS } from "@agentflow/core";
import { expect, test } from "vitest";

const doc = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
const [, ...sections] = doc.split(/^## /m);

test("docs/errors.md has exactly one heading for each code of the registry, in its order", () => {
  expect(sections.map((section) => section.split("\n")[0])).toEqual(Object.keys(ERRORS));
});

test("docs/errors.md says of each code what the registry says", () => {
  const wanted = Object.entries(ERRORS).map(
    ([code, { family, httpStatus, text, advice }]) =>
      `${code}\n\n${family}, HTTP ${httpStatus}\n\n${text}\n\n**What to do:** ${advice}`,
  );
  expect(sections.map((section) => section.trim())).toEqual(wanted);
});
