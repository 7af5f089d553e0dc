import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { main } from "../main.ts";
import { sampleRun } from "../testing/sample-run.ts";

const until = "2999-01-01T00:00:00.000Z";
let out = "";
let server: Server;
let asked: string[] = [];
let run = sampleRun({});

beforeEach(async () => {
  [out, asked] = ["", []];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    if (request.method === "POST") asked.push(body);
    response.writeHead(request.method === "POST" ? 202 : 200).end(JSON.stringify(run));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vi.stubEnv("AGENTFLOW_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await new Promise((resolve) => server.close(resolve));
});

const kept = (given: { until: string | null }) => ({
  keptResume: { nextIteration: null, keptAt: until, actor: "local", ...given },
});

test("F-29: run resume --buffer says that the resume is kept for the next wait", async () => {
  run = sampleRun({ status: "running", ...kept({ until: null }) });
  await main(["run", "resume", run.id, "--buffer", "--payload", "1e2"]);
  expect(asked).toEqual(['{"buffer":true,"payload":1e2}']);
  expect(out).toBe(`${run.id} is running, the resume is kept for its next wait\n`);
});

test("F-29: run resume --until says until when it is kept, --withdraw takes it back", async () => {
  run = sampleRun({ status: "waiting", ...kept({ until }) });
  await main(["run", "resume", run.id, "--until", until]);
  expect(out).toBe(`${run.id} is waiting, the resume is kept until ${until}\n`);
  [out, run] = ["", sampleRun({ status: "waiting" })];
  await main(["run", "resume", run.id, "--withdraw"]);
  expect(asked).toEqual([JSON.stringify({ until }), '{"until":null}']);
  expect(out).toBe(`${run.id} is waiting, no resume is kept\n`);
});
