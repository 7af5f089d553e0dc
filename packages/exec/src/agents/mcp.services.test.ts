import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContextContent, McpServer as Server } from "@agentflow/engine";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import { ModelServer, type ModelScript } from "../testing/index.ts";
import { startMcpHttpServer } from "../testing/mcp-http-server.ts";
import { idlePlace } from "../testing/idle-place.ts";
import { openStepRig, running, type StepRig, until } from "../testing/step-rig.ts";
import { createModelAgent } from "./model-agent.ts";

const FIXTURE = fileURLToPath(new URL("../../fixtures/mcp-server.mjs", import.meta.url));
const TOKEN = "tok-canary-4711";

let rig: StepRig;
let model: ModelServer;
let notes: string;
let tests = 0;
beforeAll(async () => {
  rig = await openStepRig();
});
afterAll(() => rig.close());
beforeEach(() => {
  tests += 1;
  notes = join(rig.folder, `notes-${tests}`);
});
afterEach(() => model.close());

function server(id: string, given: Partial<Extract<Server, { kind: "stdio" }>> = {}, mode = ""): Server {
  const args = [FIXTURE, notes, mode];
  return { id, kind: "stdio", command: process.execPath, args, env: [], ...given };
}

async function ask(script: ModelScript, mcp: readonly Server[], given: { deadlineMs?: number } = {}) {
  model = await ModelServer.start(script);
  const place = { ...idlePlace(), nodeRunDir: join(rig.folder, "cwd"), nodeTmpDir: rig.folder };
  await mkdir(place.nodeRunDir, { recursive: true });
  const agent = createModelAgent({
    baseUrl: model.baseUrl,
    model: "test-model",
    apiKey: null,
    tools: rig.tools,
    variable: (name) => (name === "LOOK_UP_TOKEN" ? TOKEN : undefined),
    firstPauseMs: 1,
  });
  const content: ContextContent = { knowledge: [], skills: [], workspace: null, mcp };
  const { deadlineMs = null } = given;
  const request = { prompt: "Look it up.", content, deadlineMs, place, marker: "run_1" };
  return agent.run(request, new AbortController().signal);
}

const call = (name: string, input: object) => ({ calls: [{ name, arguments: JSON.stringify(input) }] });
const toolMessages = () =>
  model.requests
    .at(-1)
    ?.body.messages.filter(({ role }) => role === "tool")
    .map(({ content }) => content);

describe("tools of MCP servers", () => {
  test("F-26: a model calls a tool of a real MCP server and goes on with what it says; tokens of all turns count", async () => {
    const end = await ask(
      ({ number }) =>
        number === 1
          ? { ...call("look_up", { word: "stressed" }), usage: [100, 10] }
          : { text: "desserts!", usage: [150, 4] },
      [server("words", { env: ["LOOK_UP_TOKEN"] })],
    );
    expect(end).toEqual({
      kind: "answered",
      answer: "desserts!",
      usage: { inputTokens: 250, outputTokens: 14 },
    });
    expect(model.requests[0]?.body.tools?.map((tool) => tool.function.name)).toEqual(["look_up", "break"]);
    expect(toolMessages()).toEqual(["stressed means desserts"]);
  });

  test("L-49, F-24: the server gets the credential it is granted by name, and no other variable of the worker", async () => {
    vi.stubEnv("DATABASE_URL", "postgres://canary");
    const script: ModelScript = ({ number }) => (number === 1 ? call("look_up", { word: "a" }) : "done");
    await ask(script, [server("words", { env: ["LOOK_UP_TOKEN"] })]);
    vi.unstubAllEnvs();
    expect(await readFile(notes, "utf8")).toBe(`a ${TOKEN} ${join(rig.folder, "cwd")} -\n`);
    expect(JSON.stringify(model.requests)).not.toContain(TOKEN);
  });

  test("F-27: a model call that is tried again does not call the tool again", async () => {
    const script: ModelScript = ({ number }) => {
      if (number === 1) return call("look_up", { word: "once" });
      return number === 2 ? { status: 500 } : "done";
    };
    expect(await ask(script, [server("words")])).toMatchObject({ kind: "answered", answer: "done" });
    expect((await readFile(notes, "utf8")).trim().split("\n")).toHaveLength(1);
  });

  test("F-26: what goes wrong with a tool is told to the model: an error of the tool, an unknown one, arguments that are none", async () => {
    const script: ModelScript = ({ number }) => {
      if (number === 1) return call("break", {});
      if (number === 2) return call("no_such_tool", {});
      return number === 3 ? { calls: [{ name: "look_up", arguments: '{"word":' }] } : "I give up";
    };
    expect(await ask(script, [server("words")])).toMatchObject({ kind: "answered", answer: "I give up" });
    const told = toolMessages();
    expect(told).toHaveLength(3);
    expect(told?.[0]).toContain("it is broken");
    expect(told?.[1]).toContain("no_such_tool");
    expect(told?.[2]).toContain("look_up");
  });

  test("F-26: equal tools of two servers are told apart", async () => {
    await ask(() => "ok", [server("one"), server("two")]);
    const names = model.requests[0]?.body.tools?.map((tool) => tool.function.name);
    expect(names).toEqual(["look_up", "break", "two_look_up", "two_break"]);
  });

  test("F-27: a server that cannot be started, dies at once, or lacks its credential ends the step, by name", async () => {
    for (const broken of [
      server("ghost", { command: "/no/such/program" }),
      server("dead", {}, "dead"),
      server("poor", { env: ["NO_SUCH_VARIABLE"] }),
    ]) {
      const end = await ask(() => "never asked", [broken]);
      expect(end).toMatchObject({
        kind: "failed",
        message: expect.stringContaining(`MCP server ${broken.id}`),
      });
      expect(model.requests).toEqual([]);
      await model.close();
    }
    model = await ModelServer.start(() => "");
  });

  test("F-26: a server that dies in a call is an error of that tool", async () => {
    const script: ModelScript = ({ number }) => (number === 1 ? call("break", {}) : "so be it");
    expect(await ask(script, [server("words", {}, "dying")])).toMatchObject({ answer: "so be it" });
    expect(toolMessages()?.[0]).toContain("failed");
  });

  test("F-26, L-49: a server over HTTP gets its credential in the header; without it the step ends, by name", async () => {
    const http = await startMcpHttpServer(`Bearer ${TOKEN}`);
    onTestFinished(() => http.close().then(() => {}));
    const remote = (value: string): Server => ({
      id: "remote",
      kind: "http",
      url: http.url,
      headers: { authorization: value },
    });
    const script: ModelScript = ({ number }) => (number === 1 ? call("ping", {}) : "heard");
    expect(await ask(script, [remote("Bearer ${LOOK_UP_TOKEN}")])).toMatchObject({ answer: "heard" });
    expect(toolMessages()).toEqual(["pong"]);
    await model.close();
    const refused = await ask(() => "never asked", [remote("Bearer wrong")]);
    expect(refused).toMatchObject({ kind: "failed", message: expect.stringContaining("MCP server remote") });
    expect(model.requests).toEqual([]);
  });

  test("L-29, S-20: no server outlives its step, however the step ends", async () => {
    await ask(() => "ok", [server("words")]);
    expect(await running(notes)).toEqual([]);
    await model.close();
    expect(await ask(() => ({ then: "hang" }), [server("words")], { deadlineMs: 3000 })).toEqual({
      kind: "timed_out",
    });
    await until("the server is gone", async () => (await running(notes)).length === 0);
  });
});
