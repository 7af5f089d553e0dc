import { Random } from "./random.ts";

export const WORKERS = 3;
const HOUR_MS = 3_600_000;
/** Clocks a worker may start with: right, an hour ahead, an hour behind. */
export const CLOCK_SHIFTS_MS: readonly number[] = [0, HOUR_MS, -HOUR_MS];

/** What is done to the service at one moment of the storm. */
export type Fault =
  | {
      readonly kind: "kill_worker";
      readonly worker: number;
      readonly pauseMs: number;
      readonly clockMs: number;
    }
  | {
      readonly kind: "stop_worker";
      readonly worker: number;
      readonly pauseMs: number;
      readonly clockMs: number;
    }
  | { readonly kind: "freeze_worker"; readonly worker: number; readonly forMs: number }
  /** Its packets to and from Postgres stand still, and arrive late. */
  | { readonly kind: "stall_worker"; readonly worker: number; readonly forMs: number }
  /** Its connection is cut around its next commit. */
  | {
      readonly kind: "cut_at_commit";
      readonly worker: number;
      readonly nth: number;
      readonly when: "before" | "after";
    }
  | { readonly kind: "kill_api"; readonly pauseMs: number }
  | { readonly kind: "freeze_api"; readonly forMs: number }
  | { readonly kind: "end_connections" }
  | { readonly kind: "empty_queue" }
  | { readonly kind: "kill_redis"; readonly forMs: number }
  | { readonly kind: "stop_postgres"; readonly forMs: number };

export type FaultKind = Fault["kind"];
export type Planned = Fault & { readonly atMs: number };

export type ScheduleOptions = {
  readonly seed: number;
  readonly durationMs: number;
  readonly queue: "postgres" | "redis";
  readonly leaseMs: number;
  /** Only these; all that the queue allows when left out. */
  readonly kinds?: readonly FaultKind[];
  /** Longest absence of a server. */
  readonly outageMs: number;
};

const EVERYWHERE: readonly FaultKind[] = [
  "kill_worker",
  "stop_worker",
  "freeze_worker",
  "stall_worker",
  "cut_at_commit",
  "kill_api",
  "freeze_api",
  "end_connections",
  "empty_queue",
  "stop_postgres",
];
/** How often a kind comes beside the once that is granted to each. */
const OFTEN: readonly FaultKind[] = [
  "kill_worker",
  "kill_worker",
  "kill_worker",
  "freeze_worker",
  "stall_worker",
  "cut_at_commit",
  "cut_at_commit",
  "kill_api",
  "empty_queue",
  "end_connections",
];
const FIRST_MS = 1000;
const MEAN_GAP_MS = 800;

/**
 * All faults of a storm in order of time: a pure function of its options. Every kind comes at least once where the storm is long
 * enough; what is already away, frozen or about to start is not struck again until it is back.
 */
export function schedule(options: ScheduleOptions): readonly Planned[] {
  const { seed, durationMs, queue } = options;
  const random = new Random(seed, `faults/${queue}`);
  const kinds = options.kinds ?? [...EVERYWHERE, ...(queue === "redis" ? (["kill_redis"] as const) : [])];
  const often = OFTEN.filter((kind) => kinds.includes(kind));
  const granted = random.shuffled(kinds);
  const free = new Map<string, number>();
  const planned: Planned[] = [];
  for (
    let atMs = FIRST_MS;
    atMs < durationMs;
    atMs += random.integer(MEAN_GAP_MS / 2, (MEAN_GAP_MS * 3) / 2)
  ) {
    const owed = granted.pop();
    const fault = faultOf(owed ?? random.pick(often.length > 0 ? often : kinds), random, options);
    const target = targetOf(fault);
    if ((free.get(target) ?? 0) > atMs) {
      if (owed !== undefined) granted.push(owed);
      continue;
    }
    free.set(target, atMs + lengthOf(fault) + 500);
    planned.push({ ...fault, atMs });
  }
  return planned;
}

function faultOf(kind: FaultKind, random: Random, { leaseMs, outageMs }: ScheduleOptions): Fault {
  const worker = random.integer(0, WORKERS - 1);
  switch (kind) {
    case "kill_worker":
    case "stop_worker":
      return { kind, worker, pauseMs: random.integer(100, 1500), clockMs: random.pick(CLOCK_SHIFTS_MS) };
    case "freeze_worker":
    case "stall_worker":
      return { kind, worker, forMs: random.integer(leaseMs * 1.25, leaseMs * 2.5) };
    case "cut_at_commit":
      return { kind, worker, nth: random.integer(1, 3), when: random.pick(["before", "after"]) };
    case "kill_api":
      return { kind, pauseMs: random.integer(100, 1000) };
    case "freeze_api":
      return { kind, forMs: random.integer(500, 3000) };
    case "kill_redis":
    case "stop_postgres":
      return { kind, forMs: random.integer(1000, outageMs) };
    case "end_connections":
    case "empty_queue":
      return { kind };
  }
}

function targetOf(fault: Fault): string {
  if ("worker" in fault) return `worker ${fault.worker}`;
  return fault.kind.endsWith("_api") ? "api" : fault.kind;
}

function lengthOf(fault: Fault): number {
  if ("forMs" in fault) return fault.forMs;
  return "pauseMs" in fault ? fault.pauseMs : 0;
}
