import { defaultRegistry } from "@agentflow/core";
import { parseFlow } from "@agentflow/dsl";
import { bundleLimits, sha256 } from "@agentflow/engine";
import type { Wake } from "@agentflow/engine";
import { createMemoryStore, FakeClock } from "@agentflow/engine/testing";
import type { MemoryStore } from "@agentflow/engine/testing";
import { createLogger } from "@agentflow/host";
import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { uuidv7 } from "uuidv7";
import { buildApp } from "../app.ts";
import type { ApiDeps } from "../deps.ts";
import { createApiMetrics } from "../metrics.ts";
import { unwritableIr } from "../reading/unwritable-ir.ts";

/** The API on a memory store: no network, no Postgres, no queue. */
export type TestApi = {
  readonly app: FastifyInstance;
  readonly store: MemoryStore;
  readonly clock: FakeClock;
  /** Wakes handed to the relay. */
  readonly wakes: Wake[];
  /** Lines of the log. */
  readonly log: string[];
  /** Taken away by tests. */
  readonly queue: { up: boolean };
  post(url: string, body?: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  delete(url: string, body?: unknown): Promise<LightMyRequestResponse>;
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
};

export type TestApiOptions = {
  readonly maxBundleBytes?: number;
  readonly keysRequired?: boolean;
  readonly eventTimes?: ApiDeps["eventTimes"];
  readonly limits?: NonNullable<ApiDeps["limits"]>;
};

/** Builds it; a body that is a text is sent as it is, anything else as JSON. */
export async function testApi(options: TestApiOptions = {}): Promise<TestApi> {
  const clock = new FakeClock();
  const store = createMemoryStore({ nowMs: () => clock.nowMs() });
  const wakes: Wake[] = [];
  const log: string[] = [];
  const queue = { up: true };
  const queuePort = {
    ping: async () => queue.up,
    depth: async () => {
      if (!queue.up) throw new Error("the queue is away");
      return wakes.length;
    },
  };
  const app = await buildApp({
    use: {
      store: store.requests,
      relay: { wake: (wake) => void wakes.push(wake) },
      registry: defaultRegistry,
      caps: { maxIterations: 1000, maxTimeoutMs: 7 * 86_400_000 },
      bundleLimits: { ...bundleLimits, maxBytes: options.maxBundleBytes ?? bundleLimits.maxBytes },
      sha256,
      newId: uuidv7,
      parseSource: (text, files) => parseFlow({ text, files }),
      unwritable: unwritableIr,
    },
    reads: store.reads,
    keys: store.keys,
    bulk: store.bulk,
    schedules: store.schedules,
    webhooks: store.webhooks,
    fleet: store.fleet,
    keysRequired: options.keysRequired ?? false,
    nowMs: () => clock.monotonicMs(),
    metrics: createApiMetrics({
      reads: store.reads,
      queue: queuePort,
      connections: () => ({}),
      ofProcess: false,
    }),
    ...(options.eventTimes && { eventTimes: options.eventTimes }),
    ...(options.limits && { limits: options.limits }),
    database: { ping: async () => void (await store.reads.counts()) },
    queue: queuePort,
    logger: createLogger({ name: "api", level: "info", write: (line) => void log.push(line) }),
  });
  const send = (method: "POST" | "DELETE", url: string, body?: unknown, headers: object = {}) => {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const payload = typeof body === "string" ? body : JSON.stringify(body);
    return app.inject({
      method,
      url,
      headers: { ...type, ...headers },
      ...(body !== undefined && { payload }),
    });
  };
  const post: TestApi["post"] = (url, body, headers) => send("POST", url, body, headers);
  const get: TestApi["get"] = (url, headers = {}) => app.inject({ method: "GET", url, headers });
  return {
    app,
    store,
    clock,
    wakes,
    log,
    queue,
    post,
    delete: (url, body) => send("DELETE", url, body),
    get,
  };
}
