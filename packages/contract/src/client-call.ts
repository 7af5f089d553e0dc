import { objectText } from "@agentflow/core";
import type { z } from "zod";
import { errorOf, ServerUnreachable } from "./api-error.ts";
import type { Operation, PathParameter } from "./operation.ts";

export type ClientOptions = {
  /** Address of the server, e.g. `http://127.0.0.1:4700`. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  readonly fetch?: typeof fetch;
  /** Longest wait for one answer; 30 s when left out. */
  readonly timeoutMs?: number;
};

/** Values by node id, or their exact JSON texts: only texts keep number spelling and key order (L-46). */
export type InputValues = Readonly<Record<string, unknown>> | ReadonlyMap<string, string>;

export type CallOptions = { readonly signal?: AbortSignal; readonly idempotencyKey?: string | undefined };

export type Call = CallOptions & {
  readonly operation: Operation;
  readonly path?: Partial<Record<PathParameter, string | number>>;
  readonly query?: object;
  readonly ifMatch?: string;
  /** Body fields as exact JSON texts; undefined ones are left out. */
  readonly body?: Readonly<Record<string, string | undefined>>;
};

export type Answer = { readonly status: number; readonly text: string };

/** Makes one call and gives the answer's text. Throws `ApiError` when refused, `ServerUnreachable` when no answer came. */
export async function send(options: ClientOptions, call: Call): Promise<Answer> {
  const { signal, body } = call;
  const timeout = AbortSignal.timeout(options.timeoutMs ?? 30_000);
  const address = addressOf(options.url, call);
  const answer = await answerOf(options, address, {
    method: call.operation.method,
    headers: headersOf(options, call),
    redirect: "error",
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    ...(body && { body: objectText(Object.entries(body).filter(isGiven)) }),
  });
  if (answer.status >= 400 && !Object.hasOwn(call.operation.answers, answer.status))
    throw errorOf(answer.status, answer.text);
  return answer;
}

async function answerOf(options: ClientOptions, address: string, init: RequestInit): Promise<Answer> {
  try {
    const response = await (options.fetch ?? fetch)(address, init);
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    throw new ServerUnreachable(`no answer from ${options.url}`, { cause });
  }
}

/** The answer's value, checked against its documented shape; fields of newer servers stay in it. */
export function valueOf<Schema extends z.ZodType>(
  schema: Schema,
  { status, text }: Answer,
): z.output<Schema> {
  const value = JSON.parse(text) as z.output<Schema>;
  const checked = schema.safeParse(value);
  if (!checked.success)
    throw new Error(`the server's answer (${status}) has not the documented shape: ${checked.error.message}`);
  return value;
}

/** Fields as exact JSON texts; undefined ones stay so. */
export function texts(fields: object): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)]));
}

/** Inputs as one JSON object text. */
export function inputsText(inputs: InputValues | undefined): string | undefined {
  return inputs instanceof Map ? objectText(inputs) : JSON.stringify(inputs);
}

/** The address of a call, with its path and query filled in. */
export function addressOf(url: string, { operation, path, query }: Call): string {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: PathParameter) =>
    encodeURIComponent(path?.[name] ?? ""),
  );
  const parameters = new URLSearchParams();
  for (const [name, given] of Object.entries(query ?? {}) as [string, unknown][]) {
    for (const one of Array.isArray(given) ? given : [given])
      if (one !== undefined) parameters.append(name, String(one));
  }
  const search = parameters.size === 0 ? "" : `?${parameters.toString()}`;
  return url.replace(/\/+$/, "") + filled + search;
}

/** The headers of a call. */
export function headersOf(
  { apiKey }: ClientOptions,
  { body, idempotencyKey, ifMatch }: Call,
): Record<string, string> {
  return {
    accept: "application/json",
    ...(body && { "content-type": "application/json" }),
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    ...(ifMatch !== undefined && { "if-match": ifMatch }),
  };
}

function isGiven(entry: [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined;
}
