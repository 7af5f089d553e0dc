import { spawn } from "node:child_process";
import { basename, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type JSONRPCMessage, type MCPTransport, validateJSONRPCMessage } from "@ai-sdk/mcp";
import type { CommandPlace } from "@agentflow/engine";
import { endGroup } from "../process/group.ts";
import { STEP_VARIABLE } from "../process/owner.ts";
import type { CommandTools } from "../run-command.ts";
import { identityOf } from "../step/step-user.ts";

/** One message more than this is no message of a tool; bytes. */
const MESSAGE_MAX_BYTES = 16_777_216;
/** How long a server may take to leave by itself when its stdin ends, and then after SIGTERM. */
const LEAVE_MS = 500;
const KILL_GRACE_MS = 2000;

export type McpProcess = {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables of its own, beside those every step has. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly place: CommandPlace;
  readonly marker: string;
};

/**
 * An MCP server as a process, spoken to over its stdin and stdout. It is started like a step: a group of its own that dies with the
 * worker, behind the operator's wrapper, with a scrubbed environment (S-20). Its stderr is dropped.
 */
export function startMcpProcess(given: McpProcess, tools: CommandTools): MCPTransport {
  const [program = given.command, ...words] = [...tools.wrapper, given.command, ...given.args];
  const child = spawn(program, words, {
    cwd: given.cwd,
    env: {
      ...tools.environment,
      ...given.env,
      TMPDIR: given.place.nodeTmpDir,
      [STEP_VARIABLE]: `${given.marker}@${basename(dirname(given.place.nodeRunDir))}`,
    },
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
    ...identityOf(tools.user),
  });
  const exited = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
  const group = child.pid;
  if (group !== undefined) tools.guardian.add(group);

  const transport: MCPTransport = {
    async start() {
      if (group === undefined) throw new Error(`${given.command} cannot be started`);
      readLines(child.stdout, transport);
      child.stdin.on("error", () => {});
      void exited.then(() => transport.onclose?.());
    },
    async send(message) {
      if (!child.stdin.writable) throw new Error("the server has ended");
      child.stdin.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      child.stdin.end();
      await Promise.race([exited, delay(LEAVE_MS)]);
      if (group === undefined) return;
      await endGroup(group, () => KILL_GRACE_MS);
      tools.guardian.remove(group);
    },
  };
  return transport;
}

function readLines(stdout: NodeJS.ReadableStream, transport: MCPTransport): void {
  let kept: Buffer[] = [];
  let size = 0;
  stdout.on("error", () => {});
  stdout.on("data", (chunk: Buffer) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      deliver(Buffer.concat([...kept, rest.subarray(0, end)]).toString("utf8"), transport);
      kept = [];
      size = 0;
      rest = rest.subarray(end + 1);
    }
    size += rest.length;
    if (size <= MESSAGE_MAX_BYTES) return void kept.push(rest);
    kept = [];
    transport.onerror?.(new Error(`a message is larger than ${MESSAGE_MAX_BYTES} bytes`));
    transport.onclose?.();
  });
}

function deliver(line: string, transport: MCPTransport): void {
  if (line.trim() === "") return;
  let message: JSONRPCMessage;
  try {
    message = validateJSONRPCMessage(JSON.parse(line)) as JSONRPCMessage;
  } catch {
    // Servers that log to stdout are common; what is no message is skipped.
    return;
  }
  transport.onmessage?.(message);
}
