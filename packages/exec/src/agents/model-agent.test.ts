import type { AgentOutcome, ContextContent } from "@agentflow/engine";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ModelServer, type ModelReply, type ModelScript } from "../testing/index.ts";
import { idlePlace } from "../testing/idle-place.ts";
import type { CommandTools } from "../run-command.ts";
import { createModelAgent } from "./model-agent.ts";

const KEY = "sk-canary-0815";
const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(script: ModelScript): Promise<ModelServer> {
  const server = await ModelServer.start(script);
  servers.push(server);
  return server;
}

type Asked = {
  readonly prompt?: string;
  readonly content?: ContextContent | null;
  readonly deadlineMs?: number | null;
  readonly signal?: AbortSignal;
  readonly apiKey?: string | null;
};

function ask(baseUrl: string, given: Asked = {}): Promise<AgentOutcome> {
  const { prompt = "Say it.", content = null, deadlineMs = null, apiKey = KEY } = given;
  const agent = createModelAgent({
    baseUrl,
    model: "test-model",
    apiKey,
    tools: {} as CommandTools,
    variable: () => undefined,
    firstPauseMs: 1,
  });
  const request = { prompt, content, deadlineMs, place: idlePlace(), marker: "run_1" };
  return agent.run(request, given.signal ?? new AbortController().signal);
}

/** The replies one after another; asking once more is an error. */
const oneByOne =
  (...replies: readonly (ModelReply | string)[]): ModelScript =>
  ({ number }) => {
    const reply = replies[number - 1];
    if (reply === undefined) throw new Error(`request ${number} was not expected`);
    return reply;
  };

describe("a model behind an OpenAI-compatible API", () => {
  test("F-26: the prompt goes out with model and key, the streamed pieces come back as one answer with its tokens", async () => {
    const server = await serve(oneByOne({ text: "naïve 😀 answer", usage: [120, 7] }));
    expect(await ask(server.baseUrl, { prompt: "Say ${it}." })).toEqual({
      kind: "answered",
      answer: "naïve 😀 answer",
      usage: { inputTokens: 120, outputTokens: 7 },
    });
    const [request] = server.requests;
    expect(request).toMatchObject({ authorization: `Bearer ${KEY}`, prompt: "Say ${it}." });
    expect(request?.body).toMatchObject({ model: "test-model", stream: true });
    expect(request?.body.messages).toHaveLength(1);
    expect(request?.body.tools).toBeUndefined();
  });

  test("F-26: a service that asks for no key gets none", async () => {
    const server = await serve(oneByOne("yes"));
    expect(await ask(server.baseUrl, { apiKey: null })).toMatchObject({ kind: "answered", answer: "yes" });
    expect(server.requests[0]?.authorization).toBeUndefined();
  });

  test("F-26: knowledge, skills and workspace of the context stand before the prompt", async () => {
    const server = await serve(oneByOne("yes"));
    const content: ContextContent = {
      knowledge: [{ id: "notes", title: "Notes", text: "The sky is green." }],
      skills: [{ id: "triage", description: "For tickets", text: "Ask twice." }],
      workspace: { id: "repo", path: "/srv/repo", access: "read-only" },
      mcp: [],
    };
    await ask(server.baseUrl, { content });
    const [system, user] = server.requests[0]?.body.messages ?? [];
    expect(system?.role).toBe("system");
    for (const text of ["The sky is green.", "Ask twice.", "For tickets", "/srv/repo", "read-only"])
      expect(system?.content).toContain(text);
    expect(user).toMatchObject({ role: "user" });
  });

  test("F-27: rate limits and server errors are tried three times, with the pause the service asks for", async () => {
    const pauses: number[] = [];
    const last = { at: performance.now() };
    const answers = oneByOne(
      { status: 429, headers: { "retry-after": "0.2" }, body: '{"error":{"message":"slow down"}}' },
      { status: 503 },
      "at last",
    );
    const server = await serve((request) => {
      pauses.push(performance.now() - last.at);
      last.at = performance.now();
      return answers(request);
    });
    expect(await ask(server.baseUrl)).toMatchObject({ kind: "answered", answer: "at last" });
    expect(pauses[1]).toBeGreaterThanOrEqual(195);
    expect(pauses[2]).toBeLessThan(195);
  });

  test("F-27: the third failure is the last, and the message says what the service said", async () => {
    const server = await serve(() => ({ status: 500, body: '{"error":{"message":"out of cheese"}}' }));
    const end = await ask(server.baseUrl);
    expect(end).toMatchObject({ kind: "failed", message: expect.stringContaining("500") });
    expect(end).toMatchObject({ message: expect.stringMatching(/out of cheese.*3 times/s) });
    expect(server.requests).toHaveLength(3);
  });

  test.each([400, 401, 403, 404, 409, 422])("F-27: status %i is not tried again", async (status) => {
    const server = await serve(() => ({ status, body: `{"error":{"message":"no, ${KEY}"}}` }));
    const end = await ask(server.baseUrl);
    expect(end).toMatchObject({ kind: "failed", message: expect.stringContaining(String(status)) });
    expect(JSON.stringify(end)).not.toContain(KEY);
    expect(server.requests).toHaveLength(1);
  });

  test("F-27: a pause of an hour is not waited for", async () => {
    const server = await serve(() => ({ status: 429, headers: { "retry-after": "3600" } }));
    expect(await ask(server.baseUrl)).toMatchObject({ message: expect.stringContaining("3600 s") });
    expect(server.requests).toHaveLength(1);
  });

  test("F-27: a connection cut in mid-stream and a stream without an end are tried again", async () => {
    const broken = [
      { text: "half an ans", then: "cut" },
      { text: "half", then: "stop" },
    ] as const;
    const server = await serve(oneByOne(...broken, "whole"));
    expect(await ask(server.baseUrl)).toMatchObject({ kind: "answered", answer: "whole" });
  });

  test("F-27: a service that is not there is tried three times and named as such", async () => {
    const server = await serve(() => "");
    const { baseUrl } = server;
    await server.close();
    servers.splice(0);
    expect(await ask(baseUrl)).toMatchObject({
      kind: "failed",
      message: expect.stringMatching(/cannot be reached.*3 times/s),
    });
  });

  test("L-29: the deadline ends a stream that stands still, and the connection is let go", async () => {
    const server = await serve(() => ({ text: "thinking", then: "hang" }));
    expect(await ask(server.baseUrl, { deadlineMs: 150 })).toEqual({ kind: "timed_out" });
    await vi.waitFor(() => expect(server.dropped).toBe(1));
  });

  test("L-29: the deadline ends a pause between tries", async () => {
    const server = await serve(() => ({ status: 429, headers: { "retry-after": "60" } }));
    expect(await ask(server.baseUrl, { deadlineMs: 150 })).toEqual({ kind: "timed_out" });
    expect(server.requests).toHaveLength(1);
  });

  test("P-27: an abort ends the stream at once and wins over a deadline", async () => {
    const server = await serve(() => ({ text: "thinking", then: "hang" }));
    const abort = new AbortController();
    const running = ask(server.baseUrl, { signal: abort.signal, deadlineMs: 60_000 });
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    abort.abort({ cause: "lost", killGraceMs: 0 });
    expect(await running).toEqual({ kind: "aborted" });
    await vi.waitFor(() => expect(server.dropped).toBe(1));
  });

  test("L-25: an answer of 1 MiB passes, one byte more does not", async () => {
    const server = await serve(oneByOne("x".repeat(1_048_576), "x".repeat(1_048_577)));
    expect(await ask(server.baseUrl)).toMatchObject({ kind: "answered" });
    expect(await ask(server.baseUrl)).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("1048576"),
    });
  });

  test("F-27: an answer cut at the token limit or withheld is an error, not an answer", async () => {
    const server = await serve(oneByOne({ text: "hal", reason: "length" }, { reason: "content_filter" }));
    expect(await ask(server.baseUrl)).toMatchObject({ message: expect.stringContaining("token limit") });
    expect(await ask(server.baseUrl)).toMatchObject({ message: expect.stringContaining("content filter") });
  });
});
