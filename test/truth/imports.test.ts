import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "agentflow-imports-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lints one planted file under the project's own rules; gives the names of the rules it breaks. */
function broken(path: string, text: string): string[] {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  cpSync(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  const lint = join(root, "node_modules/oxlint/bin/oxlint");
  const run = spawnSync(process.execPath, [lint, "--format", "json", path], {
    cwd: folder,
    encoding: "utf8",
  });
  rmSync(file);
  const { diagnostics } = JSON.parse(run.stdout) as { diagnostics: { code: string }[] };
  return diagnostics.map(({ code }) => code);
}

describe("import directions, held by lint", () => {
  const restricted = "eslint(no-restricted-imports)";
  it.each([
    ["packages/core/src/x.ts", "@agentflow/engine"],
    ["packages/core/src/x.ts", "node:fs"],
    ["packages/dsl/src/x.ts", "@agentflow/store"],
    ["packages/engine/src/x.ts", "@agentflow/store"],
    ["packages/engine/src/x.ts", "node:child_process"],
    ["packages/store/src/x.ts", "@agentflow/queue"],
    ["packages/queue/src/x.ts", "@agentflow/exec"],
    ["packages/exec/src/x.ts", "@agentflow/store"],
    ["packages/exec/src/x.ts", "bullmq"],
    ["packages/contract/src/x.ts", "@agentflow/engine"],
    ["packages/host/src/x.ts", "@agentflow/core"],
    ["apps/api/src/x.ts", "@agentflow/exec"],
    ["apps/worker/src/x.ts", "@agentflow/contract"],
    ["packages/engine/src/x.ts", "./testing/index.ts"],
  ])("a planted import in %s of %s fails the check", (path, imported) => {
    expect(broken(path, `import * as x from "${imported}";\nexport const y = x;\n`)).toContain(restricted);
  });

  it("an allowed import passes", () => {
    expect(
      broken("packages/engine/src/x.ts", 'import * as x from "@agentflow/core";\nexport const y = x;\n'),
    ).toEqual([]);
  });

  it("S-28: process.env outside the host's configuration fails the check", () => {
    const text = "export const home = process.env.HOME;\n";
    expect(broken("apps/api/src/x.ts", text)).toContain("node(no-process-env)");
    expect(broken("packages/host/src/config.ts", text)).toEqual([]);
  });
});

describe("import directions, held by manifests", () => {
  const allowed: Record<string, string[]> = {
    core: [],
    dsl: ["core"],
    contract: ["core"],
    engine: ["core"],
    store: ["core", "engine"],
    queue: ["core", "engine"],
    exec: ["core", "engine"],
    host: [],
  };
  it.each(readdirSync(join(root, "packages")))("packages/%s depends on nothing it may not", (name) => {
    const manifest = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
    const ours = Object.keys(manifest.dependencies ?? {}).filter((one) => one.startsWith("@agentflow/"));
    expect(allowed[name]).toEqual(expect.arrayContaining(ours.map((one) => one.slice("@agentflow/".length))));
  });
});
