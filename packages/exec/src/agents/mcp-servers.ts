import { type CallToolResult, createMCPClient, type MCPClient } from "@ai-sdk/mcp";
import type { CommandPlace, ContextContent, McpServer } from "@agentflow/engine";
import type { ToolSet } from "ai";
import type { CommandTools } from "../run-command.ts";
import { startMcpProcess } from "./mcp-process.ts";

/** Where the servers of one step run, and what they may know. */
export type McpPlace = {
  readonly place: CommandPlace;
  readonly marker: string;
  readonly tools: CommandTools;
  /** A variable of the worker's environment; credentials of MCP servers are named by it (L-49). */
  readonly variable: (name: string) => string | undefined;
};

/** The MCP servers of a context at work for one step. */
export type McpServers = {
  /** Their tools for a model, without a way to run them: the caller does that with `call`. */
  readonly tools: ToolSet;
  /** Runs a tool; what it says, or why it could not. */
  call(name: string, input: unknown, id: string, signal: AbortSignal): Promise<ToolOutcome>;
  close(): Promise<void>;
};

export type ToolOutcome = { readonly ok: boolean; readonly text: string };

/** How long a server may take to start and say hello, ms. */
const START_LIMIT_MS = 30_000;
const RESULT_MAX_UNITS = 262_144;

/** Starts or connects to every server; throws a sentence that names the one that cannot be used. */
export async function openMcpServers(
  content: ContextContent | null,
  where: McpPlace,
  signal: AbortSignal,
): Promise<McpServers> {
  const clients: MCPClient[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.close().catch(() => {})));
  };
  const executable = new Map<string, ToolSet[string]>();
  try {
    for (const server of content?.mcp ?? []) {
      const client = await connect(server, content, where, signal);
      clients.push(client);
      for (const [name, tool] of Object.entries(await client.tools()))
        executable.set(executable.has(name) ? `${server.id}_${name}` : name, tool as ToolSet[string]);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const offered = [...executable].map(([name, { execute: _run, ...tool }]) => [name, tool] as const);
  return {
    tools: Object.fromEntries(offered) as ToolSet,
    close,
    async call(name, input, id, abortSignal) {
      const run = executable.get(name)?.execute;
      if (run === undefined) return { ok: false, text: `There is no tool ${name}.` };
      try {
        const result: unknown = await run(input, { toolCallId: id, messages: [], abortSignal });
        return outcomeOf(result as CallToolResult);
      } catch (error) {
        abortSignal.throwIfAborted();
        return {
          ok: false,
          text: `The tool failed: ${error instanceof Error ? error.message : String(error)}`,
        };
      }
    },
  };
}

async function connect(
  server: McpServer,
  content: ContextContent | null,
  where: McpPlace,
  signal: AbortSignal,
): Promise<MCPClient> {
  try {
    return await createMCPClient({
      transport: transportOf(server, content, where),
      clientName: "agentflow",
      initializationOptions: { signal, timeout: START_LIMIT_MS },
      onUncaughtError: () => {},
    });
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The MCP server ${server.id} of the operator's catalogue cannot be used: ${why}.`, {
      cause: error,
    });
  }
}

function transportOf(server: McpServer, content: ContextContent | null, where: McpPlace) {
  const value = (name: string): string => {
    const found = where.variable(name);
    if (found === undefined) throw new Error(`the worker's environment has no ${name}`);
    return found;
  };
  if (server.kind === "http") {
    const headers = Object.entries(server.headers).map(
      ([name, text]) =>
        [name, text.replaceAll(/\$\{(\w+)\}/g, (_, variable: string) => value(variable))] as const,
    );
    return { type: "http" as const, url: server.url, headers: Object.fromEntries(headers) };
  }
  const { command, args, env } = server;
  const cwd = content?.workspace?.path ?? where.place.nodeRunDir;
  const own = Object.fromEntries(env.map((name) => [name, value(name)]));
  return startMcpProcess(
    { command, args, env: own, cwd, place: where.place, marker: where.marker },
    where.tools,
  );
}

/** The texts of a tool's result; other content is named by its type. */
function outcomeOf(result: CallToolResult): ToolOutcome {
  const parts = "content" in result && Array.isArray(result.content) ? result.content : [];
  const texts = parts.map((part) => (part.type === "text" ? String(part["text"]) : `[${part.type}]`));
  const text = parts.length > 0 ? texts.join("\n") : JSON.stringify(result);
  return { ok: !("isError" in result && result.isError === true), text: text.slice(0, RESULT_MAX_UNITS) };
}
