import type { FunctionCall, FunctionHome, FunctionOutcome } from "@agentflow/engine";
import { startDeadline } from "../step/deadline.ts";
import type { LaunchFailure } from "../step/launch.ts";
import type { WarmProcess } from "./process.ts";

export type WarmLimits = {
  /** Processes alive at once, of all flow versions together. */
  readonly maxProcesses: number;
  /** A process that answered this many calls is replaced. */
  readonly maxCalls: number;
  /** A process that holds more memory than this after a call is replaced; its heap cannot grow beyond it in one either. */
  readonly maxRssBytes: number;
  /** A process that nobody called for this long is ended. */
  readonly idleMs: number;
};

/** Starts a process for a flow version; `onDead` tells when nothing of it runs any more. Rejects when the bundle cannot be had. */
export type StartWarm = (
  home: FunctionHome,
  onDead: () => void,
) => Promise<{ readonly kind: "warm"; readonly process: WarmProcess } | LaunchFailure>;

type Slot = { readonly home: FunctionHome; process: WarmProcess | null; idle: NodeJS.Timeout | null };
type Waiter = { readonly home: FunctionHome; readonly go: (slot: Slot | null) => void };

/** Warm processes, each of one flow version, each with one call at a time. */
export class WarmPool {
  readonly #limits: WarmLimits;
  readonly #start: StartWarm;
  /** Every process that lives or is about to, least recently used first. */
  readonly #slots = new Set<Slot>();
  readonly #waiting: Waiter[] = [];
  readonly #empty: (() => void)[] = [];
  #closed = false;

  constructor(limits: WarmLimits, start: StartWarm) {
    this.#limits = limits;
    this.#start = start;
  }

  /** Processes alive now, dying ones included. */
  get size(): number {
    return this.#slots.size;
  }

  /** One call from the wait for a process to its outcome; the deadline covers both. Rejects when the bundle cannot be had. */
  async call(home: FunctionHome, call: FunctionCall, signal: AbortSignal): Promise<FunctionOutcome> {
    const startedAt = performance.now();
    const elapsed = (): number => Math.round(performance.now() - startedAt);
    if (signal.aborted) return { kind: "aborted", elapsedMs: 0 };
    const slot = this.#takeIdle(home) ?? (await this.#slotFor(home, call.deadlineMs, signal));
    if (slot === "aborted") return { kind: "aborted", elapsedMs: elapsed() };
    if (slot === "timed_out") return { kind: "timed_out", stderr: "", elapsedMs: elapsed() };
    if ("cause" in slot)
      return { kind: "spawn_failed", cause: slot.cause, message: slot.message, elapsedMs: elapsed() };
    try {
      if (signal.aborted) return { kind: "aborted", elapsedMs: elapsed() };
      const left = call.deadlineMs === null ? null : Math.max(0, call.deadlineMs - elapsed());
      return await slot.process!.call({ ...call, deadlineMs: left }, signal);
    } finally {
      this.#release(slot);
    }
  }

  /** Ends every process; a call under way ends with it. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#slots].map((slot) => this.#retire(slot)));
    if (this.#slots.size > 0) await new Promise<void>((resolve) => this.#empty.push(resolve));
  }

  #takeIdle(home: FunctionHome): Slot | null {
    let found: Slot | null = null;
    for (const slot of this.#slots)
      if (slot.idle !== null && slot.home.flowVersionId === home.flowVersionId) found = slot;
    return found === null ? null : this.#occupy(found);
  }

  #occupy(slot: Slot): Slot | null {
    if (slot.idle !== null) clearTimeout(slot.idle);
    slot.idle = null;
    return slot.process?.usable === true ? slot : null;
  }

  async #slotFor(
    home: FunctionHome,
    deadlineMs: number | null,
    signal: AbortSignal,
  ): Promise<Slot | LaunchFailure | "aborted" | "timed_out"> {
    if (this.#slots.size < this.#limits.maxProcesses) return this.#fill(home);
    const idle = [...this.#slots].find((slot) => slot.idle !== null);
    // Its death makes room, for whoever waits longest.
    if (idle !== undefined) void this.#retire(idle);
    const got = await this.#wait(home, deadlineMs, signal);
    return got === null ? this.#fill(home) : got;
  }

  #wait(
    home: FunctionHome,
    deadlineMs: number | null,
    signal: AbortSignal,
  ): Promise<Slot | null | "aborted" | "timed_out"> {
    return new Promise((resolve) => {
      const leave = (how: Slot | null | "aborted" | "timed_out"): void => {
        takeBack();
        signal.removeEventListener("abort", onAbort);
        const at = this.#waiting.indexOf(waiter);
        if (at >= 0) this.#waiting.splice(at, 1);
        resolve(how);
      };
      const waiter: Waiter = { home, go: leave };
      const onAbort = (): void => leave("aborted");
      const takeBack = startDeadline(deadlineMs, () => leave("timed_out"));
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(waiter);
    });
  }

  async #fill(home: FunctionHome): Promise<Slot | LaunchFailure> {
    const slot: Slot = { home, process: null, idle: null };
    this.#slots.add(slot);
    let started: Awaited<ReturnType<StartWarm>> | null = null;
    try {
      started = await this.#start(home, () => this.#gone(slot));
    } finally {
      if (started?.kind !== "warm") this.#gone(slot);
    }
    if (started.kind !== "warm") return started;
    slot.process = started.process;
    if (this.#closed) await this.#retire(slot);
    return slot;
  }

  #release(slot: Slot): void {
    const { process, home } = slot;
    if (process === null || !process.usable) return;
    const { maxCalls, maxRssBytes, idleMs } = this.#limits;
    if (process.calls >= maxCalls || process.rssBytes > maxRssBytes) return void this.#retire(slot);
    const next = this.#waiting[0];
    if (next?.home.flowVersionId === home.flowVersionId) return next.go(slot);
    if (next !== undefined) return void this.#retire(slot);
    // Moved to the end: the order of the set is the order of use.
    this.#slots.delete(slot);
    this.#slots.add(slot);
    slot.idle = setTimeout(() => void this.#retire(slot), idleMs).unref();
  }

  async #retire(slot: Slot): Promise<void> {
    if (slot.idle !== null) clearTimeout(slot.idle);
    slot.idle = null;
    await slot.process?.end();
  }

  #gone(slot: Slot): void {
    if (slot.idle !== null) clearTimeout(slot.idle);
    this.#slots.delete(slot);
    this.#waiting[0]?.go(null);
    if (this.#slots.size === 0) for (const resolve of this.#empty.splice(0)) resolve();
  }
}
