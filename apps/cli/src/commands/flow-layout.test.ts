import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { main } from "../main.ts";

let out: string;
let err: string;
let folder: string;
const FLOW = `const text = provide.text("Text", { value: "hello" });
const step = tool.nodejs("Step", { text: text.value }, \`printf %s \${text}\`);
const shown = display.markdown("Shown", { content: step.result });
export const run = flow("Run", step, shown);
`;

beforeEach(() => {
  [out, err] = ["", ""];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, "write").mockImplementation((text) => ((err += String(text)), true));
  folder = mkdtempSync(join(tmpdir(), "layout "));
  write(FLOW);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const write = (text: string): void => writeFileSync(join(folder, "workspace.flow.js"), text);
const file = (): string => join(folder, "workspace.layout.json");
const saved = () => JSON.parse(readFileSync(file(), "utf8")) as { nodes: Record<string, { x: number }> };

/** The exit code of the layout command, and what it said. */
async function layout(...options: string[]): Promise<{ code: number; out: string; err: string }> {
  [out, err] = ["", ""];
  const before = process.exitCode;
  process.exitCode = 0;
  await main(["flow", "dsl", "layout", folder, ...options]);
  const code = process.exitCode;
  process.exitCode = before;
  return { code, out, err };
}

test("AC-83: a fresh flow gets a place for every node, in a file of positions and sizes only", async () => {
  expect(await layout()).toEqual({ code: 0, out: "3 placed, 0 kept, 0 removed\n", err: "" });
  expect(Object.keys(saved())).toEqual(["nodes"]);
  expect(Object.keys(saved().nodes)).toEqual(["text", "step", "shown"]);
  for (const box of Object.values(saved().nodes))
    expect(Object.keys(box)).toEqual(["x", "y", "width", "height"]);
  expect(readdirSync(folder)).toEqual(["workspace.flow.js", "workspace.layout.json"]);
});

test("AC-83: a second run places nothing and does not touch the file; one moved by hand stays until --all", async () => {
  await layout();
  const first = readFileSync(file(), "utf8");
  const byHand = JSON.stringify({
    nodes: { ...saved().nodes, step: { x: -7.25, y: 3, width: 500, height: 50 } },
  });
  writeFileSync(file(), byHand);
  const { ino, mtimeMs } = statSync(file());
  expect(await layout()).toMatchObject({ code: 0, out: "0 placed, 3 kept, 0 removed\n" });
  expect(readFileSync(file(), "utf8")).toBe(byHand);
  expect(statSync(file())).toMatchObject({ ino, mtimeMs });
  expect(await layout("--all")).toMatchObject({ code: 0, out: "3 placed, 0 kept, 0 removed\n" });
  expect(readFileSync(file(), "utf8")).toBe(first);
});

test("F-20: a node that came gets a place, one that went loses it, the rest stays", async () => {
  await layout();
  const before = saved().nodes;
  write(
    FLOW.replace("const shown", "const more = display.code({ content: step.result });\nconst shown")
      .replace("shown);", "more);")
      .replace(/const shown.*\n/, ""),
  );
  const answer = await layout("--json");
  expect(JSON.parse(answer.out)).toMatchObject({ placed: ["more"], removed: ["shown"] });
  expect(saved()).toEqual(JSON.parse(answer.out).layout);
  expect(saved().nodes).toMatchObject({ text: before["text"], step: before["step"] });
});

test("AC-83: lint errors refuse it, and nothing is written", async () => {
  write(FLOW.replace("step.result", "step.nothing"));
  const answer = await layout();
  expect(answer).toMatchObject({ code: 1, out: "" });
  expect(answer.err).toContain("D11");
  expect(readdirSync(folder)).toEqual(["workspace.flow.js"]);
  expect(JSON.parse((await layout("--all", "--json")).out).errors).toHaveLength(1);
});

test("F-1: a layout file that is none is refused and kept", async () => {
  writeFileSync(file(), '{"nodes":{"step":{"x":0,"y":0}}}');
  const answer = await layout("--all");
  expect(answer).toMatchObject({ code: 1, out: "" });
  expect(answer.err).toContain("$.nodes.step.width");
  expect(readFileSync(file(), "utf8")).toBe('{"nodes":{"step":{"x":0,"y":0}}}');
});

test("a folder that is not there is told in one sentence", async () => {
  folder = join(folder, "gone");
  expect((await layout()).err).toContain("there is no folder");
  folder = join(folder, "..");
});
