import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Message = { readonly role: string; readonly content: unknown; readonly [field: string]: unknown };

/** One request a model was sent. */
export type ModelRequest = {
  /** Counts the requests of a server from 1. */
  readonly number: number;
  readonly authorization: string | undefined;
  readonly body: {
    readonly model: string;
    readonly messages: readonly Message[];
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
    readonly [field: string]: unknown;
  };
  /** Text of the last message of the user. */
  readonly prompt: string;
};

/** How the model answers one request. */
export type ModelReply = {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[];
  readonly usage?: readonly [input: number, output: number];
  /** An HTTP error instead. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** After the text: the connection is cut, the stream ends without an end, or nothing more is said. */
  readonly then?: "cut" | "stop" | "hang";
  /** Finish reason instead of `stop`. */
  readonly reason?: string;
};

type Answer = ModelReply | string;
export type ModelScript = (request: ModelRequest) => Answer | Promise<Answer>;

/** A model on loopback that speaks the streaming chat-completions protocol; a function decides what it says. */
export class ModelServer {
  readonly requests: ModelRequest[] = [];
  /** Requests whose client went away before the answer was over. */
  dropped = 0;
  readonly #script: ModelScript;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  private constructor(script: ModelScript) {
    this.#script = script;
  }

  static async start(script: ModelScript): Promise<ModelServer> {
    const model = new ModelServer(script);
    await new Promise<void>((resolve) => model.#server.listen(0, "127.0.0.1", resolve));
    return model;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
      response.writeHead(404).end("no such path");
      return;
    }
    response.on("close", () => (this.dropped += response.writableFinished ? 0 : 1));
    const body = JSON.parse(Buffer.concat(chunks).toString()) as ModelRequest["body"];
    const asked = body.messages.findLast(({ role }) => role === "user")?.content;
    const seen: ModelRequest = {
      number: this.requests.length + 1,
      authorization: request.headers.authorization,
      body,
      prompt: typeof asked === "string" ? asked : textOfParts(asked),
    };
    this.requests.push(seen);
    const given = await this.#script(seen);
    send(response, typeof given === "string" ? { text: given } : given);
  }
}

function textOfParts(content: unknown): string {
  const parts = content as readonly { readonly text?: string }[];
  return parts.map(({ text = "" }) => text).join("");
}

function send(response: ServerResponse, reply: ModelReply): void {
  if (reply.status !== undefined) {
    response.writeHead(reply.status, reply.headers).end(reply.body ?? "");
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const say = (delta: object, rest: object = {}): void => {
    const choice = { index: 0, delta, finish_reason: null, ...rest };
    event({ choices: [choice] });
  };
  const event = (fields: object): void => {
    const head = { id: "c1", object: "chat.completion.chunk", created: 1, model: "loopback" };
    response.write(`data: ${JSON.stringify({ ...head, ...fields })}\n\n`);
  };
  say({ role: "assistant", content: "" });
  // Two pieces, so that a reader must put them together.
  const { text = "", calls = [], usage = [10, 5] } = reply;
  const half = Math.ceil(text.length / 2);
  for (const piece of [text.slice(0, half), text.slice(half)]) if (piece !== "") say({ content: piece });
  for (const [index, { name, arguments: given }] of calls.entries())
    say({
      tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name, arguments: given } }],
    });
  if (reply.then === "hang") return;
  if (reply.then === "cut") {
    // The pieces must have left before the connection breaks.
    response.write("data: {", () => response.destroy());
    return;
  }
  if (reply.then === "stop") {
    response.end();
    return;
  }
  say({}, { finish_reason: reply.reason ?? (calls.length > 0 ? "tool_calls" : "stop") });
  const [input, output] = usage;
  event({
    choices: [],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  });
  response.end("data: [DONE]\n\n");
}
