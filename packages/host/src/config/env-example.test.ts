import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { VARIABLE } from "./processes.ts";

const lines = readFileSync(new URL("../../../../.env.example", import.meta.url), "utf8").split("\n");
const entries = lines.flatMap((line) => {
  const [, name, value] = /^#?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
  return name === undefined || value === undefined ? [] : [{ name, value }];
});
const example = Object.fromEntries(entries.map(({ name, value }) => [name, value]));

test("S-28: .env.example lists every variable once, and no other", () => {
  expect(entries.map(({ name }) => name).toSorted()).toEqual(Object.values(VARIABLE).toSorted());
});

test("S-28: everything in .env.example is legal", () => {
  expect(readConfig("dev", {}, example)).toMatchObject({ ok: true });
});

test("S-28: where there is a default, .env.example shows it", () => {
  const defaults = readConfig("dev", {}, { AGENTFLOW_EMBEDDED: "1" });
  const shown = readConfig(
    "dev",
    {},
    { ...example, REDIS_URL: "", AGENTFLOW_SCRIPT_ENV: "", AGENTFLOW_SECRETS: "" },
  );
  if (!defaults.ok || !shown.ok) throw new Error("expected both to be legal");
  // The folder's default depends on the user, the log level's on the command.
  expect(shown.config).toMatchObject({
    ...defaults.config,
    dataDir: "/var/lib/agentflow",
    logLevel: "info",
  });
});

test("every variable has a comment above it", () => {
  for (const { name } of entries) {
    const index = lines.findIndex((line) => line.replace(/^#/, "").startsWith(`${name}=`));
    const above = lines.slice(0, index).toReversed();
    const comment = above.find((line) => !/^#?[A-Z][A-Z0-9_]*=/.test(line));
    expect(comment, name).toMatch(/^# \w/);
  }
});
