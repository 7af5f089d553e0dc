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
import { unwritableIr } from "../reading/unwritable-ir.ts";

/** The API on a memory store: no network, no Postgres, no queue. */
export type TestApi = {
  readonly app: FastifyInstance;
  readonly store: MemoryStore;
  /** Wakes handed to the relay. */
  readonly wakes: Wake[];
  /** Lines of the log. */
  readonly log: string[];
  /** Taken away by tests. */
  readonly queue: { up: boolean };
  post(url: string, body?: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
};

/** Builds it; a body that is a text is sent as it is, anything else as JSON. */
export async function testApi(options: { readonly maxBundleBytes?: number } = {}): Promise<TestApi> {
  const clock = new FakeClock();
  const store = createMemoryStore({ nowMs: () => clock.nowMs() });
  const wakes: Wake[] = [];
  const log: string[] = [];
  const queue = { up: true };
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
    database: { ping: async () => void (await store.reads.counts()) },
    queue: {
      ping: async () => queue.up,
      depth: async () => {
        if (!queue.up) throw new Error("the queue is away");
        return wakes.length;
      },
    },
    logger: createLogger({ name: "api", level: "info", write: (line) => void log.push(line) }),
  });
  const post: TestApi["post"] = (url, body, headers = {}) => {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const payload = typeof body === "string" ? body : JSON.stringify(body);
    return app.inject({
      method: "POST",
      url,
      headers: { ...type, ...headers },
      ...(body !== undefined && { payload }),
    });
  };
  const get: TestApi["get"] = (url, headers = {}) => app.inject({ method: "GET", url, headers });
  return { app, store, wakes, log, queue, post, get };
}
