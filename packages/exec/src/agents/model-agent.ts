import type { AgentOutcome, AgentRequest, AgentRunner, TokenUsage } from "@agentflow/engine";
import type { ModelMessage } from "ai";
import { startDeadline } from "../step/deadline.ts";
import type { CommandTools } from "../run-command.ts";
import { instructions } from "./instructions.ts";
import { type McpServers, openMcpServers } from "./mcp-servers.ts";
import { createModelTurn, type ModelOptions, type ModelTurn, type ToolCall } from "./model-turn.ts";
import { withTries } from "./tries.ts";

export type ModelAgentOptions = ModelOptions & {
  readonly tools: CommandTools;
  readonly variable: (name: string) => string | undefined;
  /** Pause before the second try, ms; tests make it short. */
  readonly firstPauseMs?: number;
};

/** A conversation that has not ended by then runs in circles. */
const MAX_TURNS = 100;

/**
 * Does prompts with a model behind an OpenAI-compatible API (F-26, F-27): streaming, tools from the MCP servers of the context. Each
 * call of the model has three tries; each call of a tool is made once.
 */
export function createModelAgent(options: ModelAgentOptions): AgentRunner {
  const turn = createModelTurn(options);
  return {
    async run(request, signal) {
      const limited = limit(request, signal);
      try {
        return await withServers(request, options, limited.signal, (servers) =>
          converse(request, turn, servers, options.firstPauseMs, limited.signal),
        );
      } catch (error) {
        if (limited.timedOut()) return { kind: "timed_out" };
        if (signal.aborted) return { kind: "aborted" };
        if (error instanceof ServersUnusable) return { kind: "failed", message: error.message };
        throw error;
      } finally {
        limited.close();
      }
    },
  };
}

class ServersUnusable extends Error {
  override readonly name = "ServersUnusable";
}

/** One signal for the deadline and the caller's abort. */
function limit({ deadlineMs }: AgentRequest, signal: AbortSignal) {
  const due = new AbortController();
  const takeBack = startDeadline(deadlineMs, () => due.abort());
  return {
    signal: AbortSignal.any([signal, due.signal]),
    timedOut: () => due.signal.aborted && !signal.aborted,
    close: takeBack,
  };
}

async function withServers(
  { content, place, marker }: AgentRequest,
  { tools, variable }: ModelAgentOptions,
  signal: AbortSignal,
  work: (servers: McpServers) => Promise<AgentOutcome>,
): Promise<AgentOutcome> {
  const servers = await openMcpServers(content, { place, marker, tools, variable }, signal).catch(
    (error: Error) => {
      signal.throwIfAborted();
      throw new ServersUnusable(error.message, { cause: error });
    },
  );
  try {
    return await work(servers);
  } finally {
    await servers.close();
  }
}

async function converse(
  { prompt, content }: AgentRequest,
  turn: ModelTurn,
  servers: McpServers,
  firstPauseMs: number | undefined,
  signal: AbortSignal,
): Promise<AgentOutcome> {
  const system = instructions(content);
  const messages: ModelMessage[] = [{ role: "user", content: prompt }];
  let usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  for (let turns = 0; turns < MAX_TURNS; turns += 1) {
    const end = await withTries(
      () => turn({ system, messages, tools: servers.tools }, signal),
      signal,
      firstPauseMs,
    );
    if (end.kind === "failed") return { kind: "failed", message: end.message };
    usage = {
      inputTokens: usage.inputTokens + end.usage.inputTokens,
      outputTokens: usage.outputTokens + end.usage.outputTokens,
    };
    if (end.finished) return { kind: "answered", answer: end.text, usage };
    messages.push(...end.messages, ...(await answerCalls(end.calls, servers, signal)));
  }
  return { kind: "failed", message: `The model called tools in ${MAX_TURNS} turns and gave no answer.` };
}

/** Runs the tools a model asked for, one after another, each once; what goes wrong is told to the model. */
async function answerCalls(
  calls: readonly ToolCall[],
  servers: McpServers,
  signal: AbortSignal,
): Promise<ModelMessage[]> {
  const results = [];
  for (const { toolCallId, toolName, input } of calls) {
    const { ok, text } = await servers.call(toolName, input, toolCallId, signal);
    const output = { type: ok ? ("text" as const) : ("error-text" as const), value: text };
    results.push({ type: "tool-result" as const, toolCallId, toolName, output });
  }
  return results.length === 0 ? [] : [{ role: "tool", content: results }];
}
