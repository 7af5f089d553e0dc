import { defaultRegistry } from "@agentflow/core";
import type { Ir, NodeRegistry } from "@agentflow/core";
import { advance } from "../advance.ts";
import type { Advanced, AdvanceDeps } from "../advance.ts";
import { cancelRun } from "../cancel-run.ts";
import { forkRun } from "../fork-run.ts";
import type { ForkRunRequest } from "../fork-run.ts";
import { sha256 } from "../hash.ts";
import { Leases } from "../lease.ts";
import { createPlans } from "../plan.ts";
import type { Wake } from "../ports/work.ts";
import { createRecentCheckpoints } from "../recent-checkpoints.ts";
import { noResources } from "../resources.ts";
import type { Resources } from "../resources.ts";
import type { FlowSubmission } from "../read-flow.ts";
import { registerFlow } from "../register-flow.ts";
import type { RequestDeps } from "../request-deps.ts";
import { resumeRun } from "../resume-run.ts";
import type { ResumeRunRequest } from "../resume-run.ts";
import { startRun } from "../start-run.ts";
import { createTimeline } from "../timeline/timeline.ts";
import { sweep } from "../sweep.ts";
import { FakeClock } from "./fake-clock.ts";
import { MemoryQueue } from "./memory-queue.ts";
import { createMemoryStore } from "./memory/store.ts";
import { ScriptedRunner } from "./scripted-runner.ts";
import type { CommandScript } from "./scripted-runner.ts";

const CALLER = { actor: "test", remote: "memory" };
const LEASE_MS = 15_000;

/** The whole engine over memory: one worker, a queue that is drained by hand, commands that are functions. */
export class Rig {
  readonly clock = new FakeClock();
  readonly store = createMemoryStore({ nowMs: () => this.clock.nowMs() });
  readonly queue = new MemoryQueue(this.clock);
  readonly runner: ScriptedRunner;
  readonly leases: Leases;
  readonly advanceDeps: AdvanceDeps;
  readonly requestDeps: RequestDeps;
  /** What became of each job, oldest first. */
  readonly outcomes: Advanced[] = [];
  #ids = 0;

  constructor(
    script: CommandScript,
    options: {
      registry?: NodeRegistry;
      maxAttempts?: number;
      maxIterations?: number;
      resources?: Partial<Resources>;
      timelineBytes?: number;
    } = {},
  ) {
    const registry = options.registry ?? defaultRegistry;
    this.runner = new ScriptedRunner(this.clock, script);
    const relay = { wake: (wake: Wake) => void this.queue.add([wake]).catch(() => undefined) };
    const caps = { maxIterations: options.maxIterations ?? 1000, maxTimeoutMs: 604_800_000 };
    this.leases = new Leases({
      store: this.store.work,
      clock: this.clock,
      leaseMs: LEASE_MS,
      onLost: () => undefined,
    });
    this.advanceDeps = {
      store: this.store.work,
      runner: this.runner,
      clock: this.clock,
      caps,
      sha256,
      relay,
      recent: createRecentCheckpoints(1_000_000),
      workspaceRoot: null,
      resources: { ...noResources, ...options.resources },
      timeline: createTimeline(this.store.work, options.timelineBytes ?? 1_000_000),
      plans: createPlans(this.store.requests, registry),
      leases: this.leases,
      worker: "rig",
      leaseMs: LEASE_MS,
      maxAttempts: options.maxAttempts ?? 5,
    };
    const newId = (): string => `00000000-0000-7000-8000-${String(++this.#ids).padStart(12, "0")}`;
    const parseSource: RequestDeps["parseSource"] = () => ({
      ir: null,
      findings: [],
      positions: new Map(),
      fields: new Map(),
    });
    this.requestDeps = { store: this.store.requests, relay, registry, caps, sha256, newId, parseSource };
  }

  /** Registers an IR; throws with the findings when it does not lint. */
  async register(ir: Ir, name = "flow", files: FlowSubmission["files"] = new Map()): Promise<number> {
    const request = {
      name,
      source: null,
      irText: JSON.stringify(ir),
      files,
      layoutText: null,
      baseVersion: null,
    };
    const result = await registerFlow(this.requestDeps, request);
    if (result.kind !== "created" && result.kind !== "unchanged") throw new Error(JSON.stringify(result));
    return result.version;
  }

  /** Starts a run of the newest version; throws when it is refused. */
  async start(inputs: Record<string, string> = {}, name = "flow"): Promise<string> {
    const request = {
      flow: name,
      version: null,
      inputs: new Map(Object.entries(inputs)),
      tags: [],
      priority: null,
    };
    const result = await startRun(this.requestDeps, { ...request, idempotencyKey: null });
    if (result.kind !== "created") throw new Error(JSON.stringify(result));
    return result.runId;
  }

  /** Registers, starts, and handles jobs until none is due. */
  async runFlow(ir: Ir, inputs: Record<string, string> = {}): Promise<string> {
    await this.register(ir);
    const runId = await this.start(inputs);
    await this.drain();
    return runId;
  }

  async drain(): Promise<void> {
    await this.queue.drain(async (wake) => void this.outcomes.push(await advance(this.advanceDeps, wake)));
  }

  /** Handles jobs, sweeping and letting time pass, until nothing is due for a minute. */
  async settle(): Promise<void> {
    for (let second = 0; second < 60; second += 1) {
      await this.drain();
      this.clock.advance(1000);
      await sweep({ store: this.store.work, relay: this.advanceDeps.relay });
    }
    await this.drain();
  }

  resume(runId: string, given: Partial<Omit<ResumeRunRequest, "runId" | "caller">> = {}) {
    const nothing = { payload: null, inputs: null, version: null, nextIteration: null, idempotencyKey: null };
    return resumeRun(this.requestDeps, { ...nothing, ...given, runId, caller: CALLER });
  }

  /** Goes on from the state after an iteration of a run in a run of its own. */
  fork(
    runId: string,
    iteration: number,
    given: Partial<Omit<ForkRunRequest, "runId" | "iteration" | "caller">> = {},
  ) {
    const nothing = { loop: null, statePatch: null, inputs: null, version: null, idempotencyKey: null };
    const limits = { maxIterations: null, timeout: null };
    const deps = { ...this.requestDeps, reads: this.store.reads };
    return forkRun(deps, { ...nothing, limits, ...given, runId, iteration, caller: CALLER });
  }

  cancel(runId: string) {
    return cancelRun(this.requestDeps, { runId, caller: CALLER });
  }

  async view(runId: string) {
    const run = await this.store.reads.run(runId);
    if (!run) throw new Error(`no run ${runId}`);
    return run;
  }

  /** Everything a test asks about a run with one loop. */
  async story(runId: string) {
    const run = await this.view(runId);
    const state = await this.store.reads.state(runId, null);
    const history = await this.store.reads.history(runId, { path: null, epoch: null, limit: 500 });
    const items = typeof history === "string" ? [] : history.items;
    return {
      status: run.status,
      code: run.failure?.code ?? null,
      failure: run.failure,
      state: typeof state === "string" ? state : state.text,
      iterations: run.loops[0]?.iterations ?? 0,
      decisions: items.map(({ decision }) => decision),
      history: items,
      loop: run.loops[0] ?? null,
      outputs: run.outputs,
    };
  }

  close(): void {
    this.leases.close();
  }
}
