import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtInNodes, defaultRegistry, lint, readWhileOperation } from "@agentflow/core";
import type { Finding, Ir } from "@agentflow/core";
import { parseFlow } from "@agentflow/dsl";
import { Rig } from "@agentflow/engine/testing";
import { createCommandRunner } from "@agentflow/exec";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

type Runner = Awaited<ReturnType<typeof createCommandRunner>>;

/** One ```js block of the guide: a flow (`runnable`), or a file of the flow folder by its path. */
type Block = { readonly info: string; readonly text: string; readonly line: number };

const guide = readFileSync(new URL("../../docs/flows.md", import.meta.url), "utf8");
const blocks: readonly Block[] = [...guide.matchAll(/^```js(?: (.*))?\n([^]*?)^```$/gm)].map((found) => ({
  info: found[1] ?? "",
  text: found[2] ?? "",
  line: guide.slice(0, found.index).split("\n").length,
}));
const files = new Map(
  blocks.filter(({ info }) => info.includes("/")).map(({ info, text }) => [info, text] as const),
);
const flows = blocks.filter(({ info }) => info === "runnable");

/** What a block says after `// name:` at its end. */
function told({ text }: Block, name: "shows" | "resume"): string | null {
  return new RegExp(`^// ${name}: (.*)$`, "m").exec(text)?.[1] ?? null;
}

function read({ text }: Block): { ir: Ir | null; findings: readonly Finding[] } {
  const { ir, findings, positions } = parseFlow({ text, files });
  const caps = { maxIterations: 1000, maxTimeoutMs: 604_800_000 };
  const options = { registry: defaultRegistry, caps, positions, hasFile: (path: string) => files.has(path) };
  return { ir, findings: [...findings, ...(ir ? lint(ir, options) : [])] };
}

const named = (list: readonly Block[]) => list.map((block) => [`line ${block.line}`, block] as const);

test("every js block of the guide is a flow or a file of one", () => {
  expect(flows.length).toBeGreaterThan(10);
  expect(blocks.filter(({ info }) => info !== "runnable" && !info.includes("/"))).toEqual([]);
});

test.each(named(flows))("F-12: the flow in %s of the guide has no findings", (_, block) => {
  expect(read(block).findings).toEqual([]);
});

test("OP-6: the operation of the guide becomes a flow without findings", () => {
  const [, text = ""] = /^```json\n([^]*?)^```$/m.exec(guide) ?? [];
  const made = readWhileOperation(text);
  if (!made.ok) throw new Error(made.failure.message);
  const caps = { maxIterations: 1000, maxTimeoutMs: 604_800_000 };
  expect(lint(made.ir, { registry: defaultRegistry, caps }).map(({ code }) => code)).toEqual(["D41"]);
});

test("2-flows 2.7: the guide has an example of every node type", () => {
  const used = new Set(
    flows.flatMap((block) => Object.values(read(block).ir?.nodes ?? {}).map(({ definition }) => definition)),
  );
  expect(builtInNodes.map(({ type }) => type).filter((type) => !used.has(type))).toEqual([]);
});

describe("flows of the guide, run with real commands", () => {
  let runner: Runner;
  let dataDir: string;
  let bundles: Rig["store"]["requests"];
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "guide-"));
    const environment = { base: { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8" }, listed: {} };
    runner = await createCommandRunner({
      dataDir,
      environment,
      wrapper: "",
      loadBundle: async (digest) => bundles.bundle(digest),
    });
  });
  afterAll(async () => {
    await runner.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const shown = flows.filter((block) => told(block, "shows") !== null);
  test("at least five are", () => expect(shown.length).toBeGreaterThanOrEqual(5));

  test.each(named(shown))("the flow in %s of the guide shows what it says", async (_, block) => {
    const rig = new Rig(() => "");
    bundles = rig.store.requests;
    Object.assign(rig.advanceDeps, { runner });
    const bytes = [...files].map(
      ([path, text]) => [path, { bytes: Buffer.from(text), executable: false }] as const,
    );
    await rig.register(read(block).ir as Ir, "guide", new Map(bytes));
    const runId = await rig.start({}, "guide");
    await rig.settle();
    const payload = told(block, "resume");
    if (payload !== null) {
      expect(await rig.story(runId)).toMatchObject({ status: "waiting" });
      await rig.resume(runId, { payload });
      await rig.settle();
    }
    const { status, failure, outputs } = await rig.story(runId);
    expect([status, failure]).toEqual(["succeeded", null]);
    const wanted = told(block, "shows")?.replaceAll("\\n", "\n");
    expect(outputs.map(({ value }) => value)).toEqual([wanted]);
    rig.close();
  });
});
