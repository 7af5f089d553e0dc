import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { TokenUsage } from "@agentflow/engine";
import { APICallError, streamText, type ModelMessage, type ToolSet } from "ai";
import { retryAfterMs, type TryFailure } from "./tries.ts";

// The SDK would write hints about settings to the console of the worker.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** A model behind an OpenAI-compatible API. */
export type ModelOptions = {
  readonly baseUrl: string;
  readonly model: string;
  /** Null for services that ask for none. */
  readonly apiKey: string | null;
};

export type ToolCall = {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
};

/** What a model said in one turn. */
export type Turn = {
  readonly kind: "said";
  readonly text: string;
  /** Tools to run before the model goes on. */
  readonly calls: readonly ToolCall[];
  /** Whether the model is at its end, or waits for tools, those of calls that were refused for being invalid included. */
  readonly finished: boolean;
  /** The turn as messages, to go on with; refusals of invalid calls are among them. */
  readonly messages: readonly ModelMessage[];
  readonly usage: TokenUsage;
};

/** A conversation so far; a blank `system` is none. */
export type Conversation = {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
};

export type ModelTurn = (said: Conversation, signal: AbortSignal) => Promise<Turn | TryFailure>;

/** An answer may be as large as a command's output (L-25). */
const ANSWER_MAX_BYTES = 1_048_576;
const SHOWN_UNITS = 500;

/** One streamed call of the model. Failures are values; rejects with the signal's reason when it aborts. */
export function createModelTurn({ baseUrl, model: name, apiKey }: ModelOptions): ModelTurn {
  const key = apiKey === null ? {} : { apiKey };
  const provider = createOpenAICompatible({ name: "model", baseURL: baseUrl, includeUsage: true, ...key });
  const model = provider.chatModel(name);
  const hidden = (text: string): string =>
    apiKey === null || apiKey === "" ? text : text.replaceAll(apiKey, "[key]");

  return async ({ system, messages, tools }, signal) => {
    const stop = new AbortController();
    const result = streamText({
      model,
      ...(system === "" ? {} : { system }),
      messages: [...messages],
      tools,
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, stop.signal]),
      // Errors are parts of the stream below; the default would print them.
      onError: () => {},
    });
    try {
      let bytes = 0;
      for await (const part of result.fullStream) {
        if (part.type === "error") throw part.error;
        if (part.type !== "text-delta") continue;
        bytes += Buffer.byteLength(part.text);
        if (bytes <= ANSWER_MAX_BYTES) continue;
        stop.abort();
        return final(`The model's answer is larger than ${ANSWER_MAX_BYTES} bytes.`);
      }
      signal.throwIfAborted();
      const [text, reason, usage, calls, response] = await Promise.all([
        result.text,
        result.finishReason,
        result.usage,
        result.toolCalls,
        result.response,
      ]);
      // No reason to finish came: the stream was cut off, however politely.
      if (reason === "error") return again("The model's answer was cut off.", null);
      if (reason === "length") return final("The model's answer was cut at its token limit.");
      if (reason === "content-filter")
        return final("The model's service withheld the answer (content filter).");
      return {
        kind: "said",
        text,
        calls: calls
          .filter(({ invalid }) => invalid !== true)
          .map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input })),
        finished: calls.length === 0,
        messages: response.messages,
        usage: { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 },
      };
    } catch (error) {
      signal.throwIfAborted();
      return failureOf(error, hidden);
    }
  };
}

function failureOf(error: unknown, hidden: (text: string) => string): TryFailure {
  if (typeof error === "string") return final(`The model's service failed: ${hidden(shown(error))}`);
  if (!APICallError.isInstance(error))
    return again(`The model's answer broke off (${hidden(shown(messageOf(error)))}).`, null);
  const { statusCode, responseHeaders, responseBody } = error;
  if (statusCode === undefined || statusCode < 300)
    return again(`The model's service cannot be reached (${hidden(shown(error.message))}).`, null);
  const said = responseBody === undefined || responseBody.trim() === "" ? error.message : responseBody;
  const message = `The model's service answered ${statusCode}: ${hidden(shown(said))}`;
  return statusCode === 429 || statusCode >= 500
    ? again(message, retryAfterMs(responseHeaders, Date.now()))
    : final(message);
}

function again(message: string, afterMs: number | null): TryFailure {
  return { kind: "failed", message, retry: true, afterMs };
}

function final(message: string): TryFailure {
  return { kind: "failed", message, retry: false, afterMs: null };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function shown(text: string): string {
  return text.length > SHOWN_UNITS ? `${text.slice(0, SHOWN_UNITS)}…` : text;
}
