import { expect, test } from "vitest";
import { checkNode, checkPrograms } from "./checks.ts";

test.each([
  ["20.19.0", "ok"],
  ["20.18.9", "fail"],
  ["18.20.0", "fail"],
  ["22.0.0", "ok"],
])("Node %s: %s", (version, status) => {
  expect(checkNode(version).status).toBe(status);
});

test("a missing program is a warning that says what will not work", () => {
  const checks = checkPrograms("linux", (name) => (name === "bash" ? "/bin/bash" : null));
  expect(checks.map(({ name, status }) => [name, status])).toEqual([
    ["bash", "ok"],
    ["python3", "warn"],
    ["setpriv", "warn"],
  ]);
  expect(checks[1]?.text).toContain("scripts that end in .py cannot run");
});

test("setpriv is a matter of Linux", () => {
  expect(checkPrograms("darwin", () => "/bin/x").map(({ name }) => name)).toEqual(["bash", "python3"]);
});
