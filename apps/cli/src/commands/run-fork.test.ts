import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { main } from "../main.ts";
import { sampleRun } from "../testing/sample-run.ts";

const id = sampleRun().id;
const forked = "01900000-0000-7000-8000-000000000002";

let out = "";
let asked: { readonly call: string; readonly body: string; readonly key: string | null }[] = [];
let answer: readonly [status: number, body: string] = [200, "{}"];

beforeEach(() => {
  [out, asked] = ["", []];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const { pathname, search } = new URL(url);
    const key = new Headers(init.headers).get("idempotency-key");
    const body = typeof init.body === "string" ? init.body : "";
    asked.push({ call: `${init.method} ${pathname.replace(`/v1/runs/${id}`, "")}${search}`, body, key });
    return new Response(answer[1], { status: answer[0] });
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("OP-7, L-46: run state --iteration writes the exact text", async () => {
  answer = [200, '{"n":1.0,"2":-0}'];
  await main(["run", "state", id, "--iteration", "4", "--loop", "loop"]);
  expect(asked.map(({ call }) => call)).toEqual(["GET /state?iteration=4&loop=loop"]);
  expect(out).toBe('{"n":1.0,"2":-0}\n');
});

test("OP-7: run diff shows one operation per line", async () => {
  const patch = [
    { op: "replace", path: "/n", value: 2 },
    { op: "add", path: "/list/1", value: { a: "b" } },
    { op: "remove", path: "/gone" },
  ];
  answer = [200, JSON.stringify({ loop: '["loop"]', epoch: 0, from: 1, to: 3, patch })];
  await main(["run", "diff", id, "1", "3"]);
  expect(asked.map(({ call }) => call)).toEqual(["GET /diff?from=1&to=3"]);
  expect(out).toBe('replace /n 2\nadd /list/1 {"a":"b"}\nremove /gone\n');
});

test("OP-7: run fork sends the exact patch, limits and the key, and prints the new run's id", async () => {
  const forkedFrom = { runId: id, loop: '["loop"]', iteration: 4 };
  answer = [201, JSON.stringify(sampleRun({ id: forked, forkedFrom }))];
  const limits = ["--max-iterations", "30", "--timeout", "1h"];
  const given = ["--iteration", "4", "--patch", '{"n":1.0}', "--idempotency-key", "k", ...limits];
  await main(["run", "fork", id, ...given]);
  expect(asked).toMatchObject([{ call: "POST /fork", key: "k" }]);
  expect(asked[0]!.body).toContain('"statePatch":{"n":1.0}');
  expect(JSON.parse(asked[0]!.body)).toEqual({
    iteration: 4,
    statePatch: { n: 1 },
    limits: { maxIterations: 30, timeout: "1h" },
  });
  expect(out).toBe(`${forked}\n`);
});
