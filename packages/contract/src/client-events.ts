import { errorOf, ServerUnreachable } from "./api-error.ts";
import { addressOf, headersOf, send, valueOf } from "./client-call.ts";
import type { CallOptions, ClientOptions } from "./client-call.ts";
import { parseEventStream } from "./event-stream.ts";
import { eventPage, explanation, logPage, runEvent } from "./observed.ts";
import type { RunEventAnswer } from "./observed.ts";
import { operations } from "./operations.ts";

/** Without any sign for so long the connection counts as lost: the server comments every 15 s. */
const SILENCE_MS = 45_000;

type Page = { readonly limit?: number | undefined };

/** Calls that watch a run. */
export function observedCalls(options: ClientOptions) {
  return {
    /** A page of events above the number `cursor`. */
    listRunEvents: async (
      id: string,
      query: Page & { cursor?: number | string } = {},
      call: CallOptions = {},
    ) =>
      valueOf(
        eventPage,
        await send(options, { ...call, operation: operations.getRunEvents, path: { id }, query }),
      ),
    /**
     * Events above the number `after`, as they happen, until the run has ended or the signal is aborted. Throws
     * `ServerUnreachable` when the connection is lost: go on from the last event then.
     */
    streamRunEvents: (id: string, after = 0, signal?: AbortSignal) =>
      streamEvents(options, id, after, signal),
    getRunLogs: async (
      id: string,
      query: Page & { iteration?: number | undefined; cursor?: string | undefined } = {},
      call: CallOptions = {},
    ) =>
      valueOf(
        logPage,
        await send(options, { ...call, operation: operations.getRunLogs, path: { id }, query }),
      ),
    explainRun: async (id: string, call: CallOptions = {}) =>
      valueOf(explanation, await send(options, { ...call, operation: operations.explainRun, path: { id } })),
  };
}

async function* streamEvents(
  options: ClientOptions,
  id: string,
  after: number,
  signal?: AbortSignal,
): AsyncGenerator<RunEventAnswer> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(new Error("the server has gone silent")), SILENCE_MS);
  };
  heard();
  try {
    const ends = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
    const response = await open(options, id, after, ends);
    if (response.status === 204 || response.body === null) return;
    for await (const message of parseEventStream(response.body)) {
      heard();
      if (message !== null) yield runEvent.parse(JSON.parse(message.data));
    }
  } catch (error) {
    if (signal?.aborted) return;
    throw error instanceof Error && "status" in error
      ? error
      : new ServerUnreachable(`no events from ${options.url}`, { cause: error });
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

async function open(
  options: ClientOptions,
  id: string,
  after: number,
  signal: AbortSignal,
): Promise<Response> {
  const call = { operation: operations.getRunEvents, path: { id } };
  const headers = {
    ...headersOf(options, call),
    accept: "text/event-stream",
    "last-event-id": String(after),
  };
  const response = await (options.fetch ?? fetch)(addressOf(options.url, call), {
    headers,
    redirect: "error",
    signal,
  });
  if (response.status >= 400) throw errorOf(response.status, await response.text());
  return response;
}
