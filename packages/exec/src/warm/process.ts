import { basename } from "node:path";
import type { FunctionCall, FunctionOutcome, StepDirectories } from "@agentflow/engine";
import { killGroup } from "../process/group.ts";
import { killEscaped } from "../process/leftovers.ts";
import { hasCompany } from "../process/company.ts";
import type { CommandTools } from "../run-command.ts";
import { startDeadline } from "../step/deadline.ts";
import { type Answer, readAnswers, sendAbort, sendCall } from "./channel.ts";
import { tapLog } from "./log-tap.ts";
import type { Started } from "./start.ts";

/** L-25, raw bytes: a result is to a function what stdout is to a command. */
const RESULT_LIMIT_BYTES = 1_048_576;
const LOG_LIMIT_BYTES = 262_144;
/** From the abort of the function's signal to SIGKILL. */
const ABORT_GRACE_MS = 1000;
/** L-28: how long a process that still holds the log is listened to after the end of its leader. */
const DRAIN_MS = 250;

/** One warm process. It takes one call at a time; after a call that leaves `usable` false it is dead. */
export type WarmProcess = {
  readonly usable: boolean;
  /** Calls that were answered. */
  readonly calls: number;
  /** Resident memory after the last call. */
  readonly rssBytes: number;
  call(call: FunctionCall, deadlineMs: number | null, signal: AbortSignal): Promise<FunctionOutcome>;
  /** Kills the process with everything it started; resolves when all are gone. */
  end(): Promise<void>;
};

type Stop =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: "timed_out" | "aborted" | "result_too_large" | "log_too_large" | "garbled" };

/** Wraps a started child. `onDead` is called once, when nothing of it runs any more. */
export function warmProcess(
  { child, group, channel, log }: Started,
  directories: StepDirectories,
  { guardian, wrapper }: Pick<CommandTools, "guardian" | "wrapper">,
  onDead: () => void,
): WarmProcess {
  const stepId = basename(directories.root);
  const tap = tapLog(log, LOG_LIMIT_BYTES);
  let onStop = (_: Stop): void => {};
  let usable = true;
  let ending: Promise<void> | null = null;
  let calls = 0;
  let rssBytes = 0;

  guardian.add(group);
  channel.on("error", () => {});
  readAnswers(channel, RESULT_LIMIT_BYTES, {
    answer: (answer) => onStop({ kind: "answered", answer }),
    bad: (why) => onStop({ kind: why === "too_large" ? "result_too_large" : "garbled" }),
  });
  child.once("exit", (code, signal) => {
    onStop({ kind: "exited", code, signal });
    void end();
  });

  function end(): Promise<void> {
    usable = false;
    ending ??= (async () => {
      await killGroup(group);
      await killEscaped(stepId, null);
      channel.destroy();
      // A pipe that a process of another mark still holds has no end; what came so far counts.
      const drained = new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref());
      await Promise.race([tap.end, drained]);
      log.destroy();
      guardian.remove(group);
      onDead();
    })();
    return ending;
  }

  /** Whatever happens first ends the call; a stop by deadline or signal waits for the function, but not for long. */
  async function stopped(deadlineMs: number | null, signal: AbortSignal, send: () => void): Promise<Stop> {
    let settle = onStop;
    const stop = new Promise<Stop>((resolve) => (settle = resolve));
    const halt = (why: "timed_out" | "aborted"): void => {
      const graceMs = Math.min(ABORT_GRACE_MS, killGraceMs(signal));
      sendAbort(channel, why === "timed_out" ? "deadline" : "stopped");
      const timer = setTimeout(() => settle({ kind: why }), graceMs);
      onStop = () => {
        clearTimeout(timer);
        settle({ kind: why });
      };
    };
    const onAbort = (): void => halt("aborted");
    onStop = settle;
    signal.addEventListener("abort", onAbort, { once: true });
    const takeBack = startDeadline(deadlineMs, () => halt("timed_out"));
    tap.begin(() => onStop({ kind: "log_too_large" }));
    send();
    const how = await stop;
    takeBack();
    signal.removeEventListener("abort", onAbort);
    onStop = () => {};
    return how;
  }

  return {
    get usable() {
      return usable && child.exitCode === null && child.signalCode === null;
    },
    get calls() {
      return calls;
    },
    get rssBytes() {
      return rssBytes;
    },
    async call(request, deadlineMs, signal) {
      const startedAt = performance.now();
      const { deadlineMs: _, ...message } = request;
      const how = await stopped(deadlineMs, signal, () =>
        sendCall(channel, { ...message, remainingMs: deadlineMs }),
      );
      if (how.kind !== "answered") await end();
      const logged = await tap.finish();
      if (how.kind === "answered") {
        calls += 1;
        rssBytes = how.answer.rssBytes;
        // Behind a wrapper the leader is not the function's own process, so company says nothing.
        const { startedProcesses } = how.answer;
        if (startedProcesses && (wrapper.length > 0 || hasCompany(group, stepId))) await end();
      }
      if (logged.overflowed) await end();
      return outcomeOf(how, logged, Math.round(performance.now() - startedAt));
    },
    end,
  };
}

/** An abort at shutdown may allow less than a second (S-27). */
function killGraceMs(signal: AbortSignal): number {
  const reason: unknown = signal.aborted ? signal.reason : null;
  if (typeof reason !== "object" || reason === null || !("killGraceMs" in reason)) return ABORT_GRACE_MS;
  return typeof reason.killGraceMs === "number" ? reason.killGraceMs : ABORT_GRACE_MS;
}

function outcomeOf(
  how: Stop,
  { text: stderr, overflowed }: { readonly text: string; readonly overflowed: boolean },
  elapsedMs: number,
): FunctionOutcome {
  if (how.kind === "aborted") return { kind: "aborted", elapsedMs };
  if (how.kind === "timed_out") return { kind: "timed_out", stderr, elapsedMs };
  if (how.kind === "result_too_large")
    return { kind: "too_large", stream: "stdout", limitBytes: RESULT_LIMIT_BYTES, stderr, elapsedMs };
  // The last bytes of the log may come after the answer; they count all the same.
  if (overflowed || how.kind === "log_too_large")
    return { kind: "too_large", stream: "stderr", limitBytes: LOG_LIMIT_BYTES, stderr, elapsedMs };
  if (how.kind === "exited")
    return { kind: "died", exitCode: how.code, signal: how.signal, stderr, elapsedMs };
  if (how.kind !== "answered") return { kind: "died", exitCode: null, signal: null, stderr, elapsedMs };
  const { kind, body } = how.answer;
  if (kind === "text" || kind === "json")
    return { kind: "returned", form: kind, stdout: body, stderr, elapsedMs };
  const message = new TextDecoder().decode(body);
  return { kind, message, stderr, elapsedMs };
}
