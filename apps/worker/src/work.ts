import { setTimeout } from "node:timers/promises";
import { performance } from "node:perf_hooks";
import type { Burst, LimitCaps, NodeRegistry } from "@agentflow/core";
import {
  Leases,
  advance,
  createPlans,
  createRecentCheckpoints,
  createTimeline,
  noResources,
  sha256,
} from "@agentflow/engine";
import type {
  Advanced,
  CommandRunner,
  Fence,
  FunctionRunner,
  Observer,
  RequestStore,
  Resources,
  Wake,
  WorkStore,
} from "@agentflow/engine";

/** The engine at work in one process; tests compose it with changed parts. */
export interface Work {
  readonly leases: Leases;
  /** Handles one job of the queue (S-5). Rejects when the store failed under it: the sweep will bring the run back. */
  handle(job: { runId: string; token: number }): Promise<Advanced>;
}

export type WorkOptions = {
  readonly store: WorkStore & Pick<RequestStore, "flowVersionById">;
  readonly runner: CommandRunner & FunctionRunner;
  readonly relay: { wake(wake: Wake): void };
  readonly registry: NodeRegistry;
  readonly caps: LimitCaps;
  readonly workspaceRoot: string | null;
  /** Catalogue, agents and secrets; none when left out. */
  readonly resources?: Resources;
  /** Bytes of earlier states per run; null or left out keeps none. */
  readonly timelineBytes?: number | null;
  /** Shown as lease holder. */
  readonly worker: string;
  readonly leaseMs: number;
  readonly maxAttempts: number;
  readonly onLost: (fence: Fence) => void;
  /** For loops that set no burst of their own; none when left out. */
  readonly burst?: Burst | null;
  /** Whether other jobs may wait for this worker, which ends bursts; never when left out. */
  readonly crowded?: () => boolean;
  /** For metrics; none when left out. */
  readonly observer?: Observer;
};

/** State text kept between iterations of one worker: 32 Mi units, 64 MiB at most. */
const RECENT_STATE_UNITS = 33_554_432;

/** Composes the engine over its ports. */
export function composeWork(options: WorkOptions): Work {
  const { store, registry, leaseMs, onLost } = options;
  const clock = {
    monotonicMs: () => performance.now(),
    pause: (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
  };
  const leases = new Leases({ store, clock, leaseMs, onLost });
  const plans = createPlans(store, registry);
  const recent = createRecentCheckpoints(RECENT_STATE_UNITS);
  const resources = options.resources ?? noResources;
  const { timelineBytes = null } = options;
  const timeline = timelineBytes === null ? {} : { timeline: createTimeline(store, timelineBytes) };
  const deps = { ...options, ...timeline, resources, clock, sha256, leases, plans, recent };
  return { leases, handle: (job) => advance(deps, job) };
}
