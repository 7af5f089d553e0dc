import type { ChildProcess } from "node:child_process";
import { basename } from "node:path";
import type { Duplex, Readable } from "node:stream";
import type { FunctionCall, FunctionOutcome, StepDirectories } from "@agentflow/engine";
import { hasCompany } from "../process/company.ts";
import { killGroup } from "../process/group.ts";
import { killEscaped } from "../process/leftovers.ts";
import type { CommandTools } from "../run-command.ts";
import { startDeadline } from "../step/deadline.ts";
import { readAnswers, sendAbort, sendCall } from "./channel.ts";
import { type LogTap, tapLog } from "./log-tap.ts";
import { LOG_LIMIT_BYTES, outcomeOf, RESULT_LIMIT_BYTES, type Stop } from "./outcome.ts";
import type { Started } from "./start.ts";

/** From the abort of the function's signal to SIGKILL. */
const ABORT_GRACE_MS = 1000;
/** L-28: how long a process that still holds the log is listened to after the end of its leader. */
const DRAIN_MS = 250;
const SECOND_LOOK_MS = 100;

type Tools = Pick<CommandTools, "guardian" | "wrapper">;

/** One warm process. It takes one call at a time; after a call that leaves `usable` false it is dead. */
export class WarmProcess {
  readonly #child: ChildProcess;
  readonly #group: number;
  readonly #channel: Duplex;
  readonly #log: Readable;
  readonly #tap: LogTap;
  readonly #stepId: string;
  readonly #tools: Tools;
  readonly #onDead: () => void;
  #onStop: (how: Stop) => void = () => {};
  #ending: Promise<void> | null = null;
  #busy = false;
  #doubtful = false;
  #calls = 0;
  #rssBytes = 0;

  /** `onDead` is called once, when nothing of the process runs any more. */
  constructor(started: Started, directories: StepDirectories, tools: Tools, onDead: () => void) {
    this.#child = started.child;
    this.#group = started.group;
    this.#channel = started.channel;
    this.#log = started.log;
    this.#tap = tapLog(started.log, LOG_LIMIT_BYTES);
    this.#stepId = basename(directories.root);
    this.#tools = tools;
    this.#onDead = onDead;
    tools.guardian.add(started.group);
    started.channel.on("error", () => {});
    readAnswers(started.channel, RESULT_LIMIT_BYTES, {
      answer: (answer) => this.#onStop({ kind: "answered", answer }),
      bad: (why) => this.#onStop({ kind: why === "too_large" ? "result_too_large" : "garbled" }),
    });
    started.child.once("exit", (code, signal) => {
      this.#onStop({ kind: "exited", code, signal });
      void this.end();
    });
  }

  get usable(): boolean {
    return this.#ending === null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Calls that were answered. */
  get calls(): number {
    return this.#calls;
  }

  /** Resident memory after the last call. */
  get rssBytes(): number {
    return this.#rssBytes;
  }

  async call(call: FunctionCall, signal: AbortSignal): Promise<FunctionOutcome> {
    const startedAt = performance.now();
    this.#busy = true;
    const how = await this.#stopped(call.deadlineMs, signal, () => sendCall(this.#channel, call));
    if (how.kind !== "answered") await this.end();
    const logged = await this.#tap.finish();
    if (logged.overflowed) await this.end();
    if (how.kind === "answered") {
      this.#calls += 1;
      this.#rssBytes = how.answer.rssBytes;
      await this.#endIfLeaking(how.answer.startedProcesses);
    }
    this.#busy = false;
    return outcomeOf(how, logged, Math.round(performance.now() - startedAt));
  }

  /** Kills the process with everything it started; resolves when all are gone. */
  end(): Promise<void> {
    this.#ending ??= this.#kill();
    return this.#ending;
  }

  async #kill(): Promise<void> {
    await killGroup(this.#group);
    await killEscaped(this.#stepId, null);
    this.#channel.destroy();
    // A pipe that a process of another mark still holds has no end; what came so far counts.
    const drained = new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref());
    await Promise.race([this.#tap.end, drained]);
    this.#log.destroy();
    this.#tools.guardian.remove(this.#group);
    this.#onDead();
  }

  /**
   * L-28: what a call left running ends its process. A program that is just being started shows neither group nor mark, so there
   * is a second look a little later, or after the next call.
   */
  async #endIfLeaking(startedProcesses: boolean): Promise<void> {
    const doubtful = this.#doubtful || startedProcesses;
    this.#doubtful = startedProcesses;
    if (!doubtful || !this.usable) return;
    if (this.#leftSomething()) return this.end();
    if (!startedProcesses) return;
    const calls = this.#calls;
    setTimeout(() => {
      const idle = this.usable && !this.#busy && this.#calls === calls;
      if (idle && this.#leftSomething()) void this.end();
    }, SECOND_LOOK_MS).unref();
  }

  /** Behind a wrapper the leader is not the function's own process, so company would say nothing. */
  #leftSomething(): boolean {
    return this.#tools.wrapper.length > 0 || hasCompany(this.#group, this.#stepId);
  }

  /** Whatever happens first ends the call; a stop by deadline or signal waits for the function, but not for long. */
  async #stopped(deadlineMs: number | null, signal: AbortSignal, send: () => void): Promise<Stop> {
    let settle = this.#onStop;
    const stop = new Promise<Stop>((resolve) => (settle = resolve));
    this.#onStop = settle;
    const halt = (why: "timed_out" | "aborted"): void => {
      sendAbort(this.#channel, why === "timed_out" ? "deadline" : "stopped");
      const timer = setTimeout(() => settle({ kind: why }), graceMs(signal));
      this.#onStop = () => {
        clearTimeout(timer);
        settle({ kind: why });
      };
    };
    const onAbort = (): void => halt("aborted");
    signal.addEventListener("abort", onAbort, { once: true });
    const takeBack = startDeadline(deadlineMs, () => halt("timed_out"));
    this.#tap.begin(() => this.#onStop({ kind: "log_too_large" }));
    send();
    const how = await stop;
    takeBack();
    signal.removeEventListener("abort", onAbort);
    this.#onStop = () => {};
    return how;
  }
}

/** An abort at shutdown may allow less than a second (S-27). */
function graceMs(signal: AbortSignal): number {
  const reason: unknown = signal.aborted ? signal.reason : null;
  if (typeof reason !== "object" || reason === null || !("killGraceMs" in reason)) return ABORT_GRACE_MS;
  return typeof reason.killGraceMs === "number"
    ? Math.min(ABORT_GRACE_MS, reason.killGraceMs)
    : ABORT_GRACE_MS;
}
