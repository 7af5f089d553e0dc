import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { parseFlow } from "@agentflow/dsl";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { main } from "../main.ts";

let out: string;
let err: string;
let folder: string;
const FLOW = `// a comment
const a = tool.nodejs('it\\'s "a"', { x: 1.50 }, \`printf %s \${x}\`);
export const run = flow("Run", a);
`;
const PRINTED = `import { flow, tool } from "agentflow/flow";

const a = tool.nodejs("it's \\"a\\"", { x: 1.50 }, \`printf %s \${x}\`);
export const run = flow("Run", a);
`;
const ir = parseFlow({ text: FLOW, files: new Set() }).ir!;

beforeEach(() => {
  [out, err] = ["", ""];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, "write").mockImplementation((text) => ((err += String(text)), true));
  folder = mkdtempSync(join(tmpdir(), "print "));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** A file of the folder with a content. */
function given(content: unknown): string {
  const path = join(folder, "flow.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

async function print(from: string, ...options: string[]): Promise<number> {
  const before = process.exitCode;
  process.exitCode = 0;
  await main(["flow", "dsl", "print", from, ...options]);
  const code = process.exitCode;
  process.exitCode = before;
  return code;
}

test("F-18: an IR is printed as its flow file, from a file, from stdin and as JSON", async () => {
  expect(await print(given(ir))).toBe(0);
  expect(out).toBe(PRINTED);
  out = "";
  vi.spyOn(process, "stdin", "get").mockReturnValue(
    Readable.from([JSON.stringify(ir)]) as typeof process.stdin,
  );
  expect(await print("-")).toBe(0);
  expect(out).toBe(PRINTED);
  out = "";
  expect(await print(given(ir), "--json")).toBe(0);
  expect(JSON.parse(out)).toEqual({ source: PRINTED });
});

test("F-18: the file of a flow folder is written anew", async () => {
  writeFileSync(join(folder, "workspace.flow.js"), FLOW);
  expect(await print(folder)).toBe(0);
  expect(out).toBe(PRINTED);
});

test("F-18: an IR that would not come back is refused, and nothing is printed", async () => {
  const stray = { from: { node: "b", slot: "next" }, to: { node: "a", slot: "prev" } };
  expect(await print(given({ ...ir, nodes: { ...ir.nodes, b: ir.nodes["a"] }, edges: [stray] }))).toBe(1);
  expect(out).toBe("");
  expect(err).toContain("The edge `b.next` → `a.prev` cannot be written as a flow file");
});

test.each([
  ["no JSON", "{", "is not JSON"],
  ["no IR", { schema: 1 }, "holds no IR: $.nodes:"],
])("what is %s is refused", async (_, content, message) => {
  expect(await print(given(content))).toBe(1);
  expect(err).toContain(message);
});

test("a flow folder with errors shows them, a file that is not there is named", async () => {
  writeFileSync(join(folder, "workspace.flow.js"), "for (;;) {}");
  expect(await print(folder)).toBe(1);
  expect(err).toContain("D02");
  expect(await print(join(folder, "gone.json"))).toBe(1);
  expect(err).toContain("gone.json");
});
