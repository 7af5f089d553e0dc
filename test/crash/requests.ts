import { randomUUID } from "node:crypto";
import { defaultRegistry } from "@agentflow/core";
import { parseFlow } from "@agentflow/dsl";
import { registerFlow, resumeRun, sha256, startRun, type RequestDeps } from "@agentflow/engine";
import type { Queue } from "@agentflow/queue";
import type { Store } from "@agentflow/store";
import { crashFiles, type CrashFlow } from "./flows.ts";

const caller = { actor: "crash tests", remote: "" };

/** What callers of the API do, in the test's own process: the use cases on the real store and queue. */
export class Requests {
  readonly #deps: RequestDeps;
  readonly #registered = new Set<string>();
  readonly #wakes: Promise<unknown>[] = [];

  constructor(store: Store, queue: Queue) {
    this.#deps = {
      store: store.requests,
      relay: { wake: (wake) => void this.#wakes.push(queue.producer.add([wake]).catch(() => {})) },
      registry: defaultRegistry,
      caps: { maxIterations: 1000, maxTimeoutMs: 3_600_000 },
      sha256,
      newId: randomUUID,
      parseSource: (text, files) => parseFlow({ text, files }),
    };
  }

  async register(flow: CrashFlow): Promise<void> {
    if (this.#registered.has(flow.name)) return;
    const request = { ...flow, irText: null, files: crashFiles, layoutText: null, baseVersion: null };
    const result = await registerFlow(this.#deps, request);
    if (result.kind !== "created") throw new Error(JSON.stringify(result));
    this.#registered.add(flow.name);
  }

  async start(flow: CrashFlow): Promise<string> {
    await this.register(flow);
    const result = await startRun(this.#deps, { ...startOf(flow), inputs: new Map() });
    if (result.kind !== "created") throw new Error(JSON.stringify(result));
    await this.#woken();
    return result.runId;
  }

  async resume(runId: string): Promise<void> {
    const result = await resumeRun(this.#deps, resumeOf(runId));
    if (result.kind !== "resumed") throw new Error(JSON.stringify(result));
    await this.#woken();
  }

  /** The jobs are in the queue, or the queue is away. */
  async #woken(): Promise<void> {
    await Promise.all(this.#wakes.splice(0));
  }
}

export function startOf({ name: flow }: CrashFlow) {
  return { flow, version: null, tags: [], priority: null, idempotencyKey: null };
}

export function resumeOf(runId: string) {
  const unchanged = { inputs: null, version: null, nextIteration: null };
  return { runId, payload: null, ...unchanged, idempotencyKey: null, caller };
}
