import { basename } from "node:path";
import type { CommandOutcome, CommandRequest } from "@agentflow/engine";
import { endGroup, killGroup } from "./process/group.ts";
import type { Guardian } from "./process/guardian.ts";
import { killEscaped } from "./process/leftovers.ts";
import { startDeadline } from "./step/deadline.ts";
import { launch, type Launched, type LaunchTools } from "./step/launch.ts";
import { logText } from "./step/log-text.ts";
import { collectOutput, type Output } from "./step/output.ts";

/** L-25, raw bytes. */
const STDOUT_LIMIT_BYTES = 1_048_576;
const STDERR_LIMIT_BYTES = 262_144;
/** L-28: how long a background process that still holds a pipe is listened to after the exit. */
const DRAIN_MS = 250;
/** L-29: from SIGTERM to SIGKILL. */
const KILL_GRACE_MS = 5000;
/** A step shorter than this cannot have outlived a full turn of the pids: only later ones are searched for what escaped. */
const SHORT_STEP_MS = 1000;

export type CommandTools = LaunchTools & { readonly guardian: Guardian };

type Exit = { readonly kind: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null };
type Stop = Exit | { readonly kind: "timed_out" | "aborted" | "too_large" };
type Outputs = { readonly stdout: Output; readonly stderr: Output };

/**
 * Runs one shell command to its end and answers only when no process of it runs any more (L-24 to L-29, L-47, F-22, F-24). Never
 * throws for what a command does. An abort may carry an `AbortReason`; the folders of the request stay with the caller.
 */
export async function runCommand(
  request: CommandRequest,
  signal: AbortSignal,
  tools: CommandTools,
): Promise<CommandOutcome> {
  const startedAt = performance.now();
  const elapsed = (): number => Math.round(performance.now() - startedAt);
  if (signal.aborted) return { kind: "aborted", elapsedMs: 0 };

  const launched = await launch(request, tools, signal);
  if (launched.kind === "aborted") return { kind: "aborted", elapsedMs: elapsed() };
  if (launched.kind === "failed")
    return { kind: "spawn_failed", cause: launched.cause, message: launched.message, elapsedMs: elapsed() };

  const { group } = launched;
  tools.guardian.add(group);
  try {
    const watch = watchStep(launched, request.deadlineMs, signal);
    const stop = await watch.stopped;
    const ranMs = elapsed();
    if (stop.kind === "exited") {
      await drain(watch);
      await killGroup(group);
    } else if (stop.kind === "too_large") {
      await killGroup(group);
    } else {
      await endGroup(group, () => killGraceMs(signal));
    }
    await killEscaped(
      basename(request.directories.root),
      stop.kind === "exited" && ranMs < SHORT_STEP_MS ? group : null,
    );
    await Promise.all([watch.stdout.close(), watch.stderr.close()]);
    return outcomeOf(stop, watch, stop.kind === "exited" ? ranMs : elapsed());
  } finally {
    tools.guardian.remove(group);
  }
}

/** Whatever happens first ends the step: its exit, its deadline, an abort, or too much output. */
function watchStep(
  { child, stdout, stderr }: Launched,
  deadlineMs: number | null,
  signal: AbortSignal,
): Outputs & { readonly stopped: Promise<Stop> } {
  const { promise, resolve } = withResolvers<Stop>();
  const onAbort = (): void => resolve({ kind: "aborted" });
  const onOverflow = (): void => resolve({ kind: "too_large" });
  const outputs = {
    stdout: collectOutput(stdout, STDOUT_LIMIT_BYTES, onOverflow),
    stderr: collectOutput(stderr, STDERR_LIMIT_BYTES, onOverflow),
  };
  child.once("exit", (code, exitSignal) => resolve({ kind: "exited", code, signal: exitSignal }));
  signal.addEventListener("abort", onAbort, { once: true });
  const takeBack = startDeadline(deadlineMs, () => resolve({ kind: "timed_out" }));
  const stopped = promise.finally(() => {
    takeBack();
    signal.removeEventListener("abort", onAbort);
  });
  return { ...outputs, stopped };
}

/** L-28: waits for the ends of both streams, but not for long. */
async function drain({ stdout, stderr }: Outputs): Promise<void> {
  const { promise, resolve } = withResolvers<void>();
  const timer = setTimeout(resolve, DRAIN_MS);
  void Promise.all([stdout.end, stderr.end]).then(() => resolve());
  await promise;
  clearTimeout(timer);
}

function withResolvers<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Read while waiting, so an abort at shutdown also shortens a grace that a deadline began (S-27). */
function killGraceMs(signal: AbortSignal): number {
  const reason: unknown = signal.aborted ? signal.reason : null;
  if (typeof reason !== "object" || reason === null || !("killGraceMs" in reason)) return KILL_GRACE_MS;
  return typeof reason.killGraceMs === "number" ? reason.killGraceMs : KILL_GRACE_MS;
}

function outcomeOf(stop: Stop, { stdout, stderr }: Outputs, elapsedMs: number): CommandOutcome {
  if (stop.kind === "aborted") return { kind: "aborted", elapsedMs };
  const log = logText(stderr.bytes(), stderr.overflowed);
  if (stop.kind === "timed_out") return { kind: "timed_out", stderr: log, elapsedMs };
  // The last bytes of a stream may arrive after the exit; they count all the same (L-25).
  if (stdout.overflowed)
    return { kind: "too_large", stream: "stdout", limitBytes: STDOUT_LIMIT_BYTES, stderr: log, elapsedMs };
  if (stderr.overflowed)
    return { kind: "too_large", stream: "stderr", limitBytes: STDERR_LIMIT_BYTES, stderr: log, elapsedMs };
  if (stop.kind !== "exited")
    throw new Error("A step was stopped for its output, yet no stream is over its limit.");
  if (stop.signal !== null)
    return { kind: "signalled", signal: stop.signal, stdout: stdout.bytes(), stderr: log, elapsedMs };
  if (stop.code === 126 && log.includes("Argument list too long")) return tooLongInside(log, elapsedMs);
  return { kind: "exited", exitCode: stop.code ?? 0, stdout: stdout.bytes(), stderr: log, elapsedMs };
}

/** The shell itself was started, but a word of the command (a slot's value, most likely) is more than the program can be given (F-22). */
function tooLongInside(log: string, elapsedMs: number): CommandOutcome {
  const lastLine = log.trimEnd().split("\n").at(-1) ?? "";
  return {
    kind: "spawn_failed",
    cause: "argument_too_long",
    message: `A program of the command was given a longer argument or environment than the system takes (${lastLine.slice(-200)}).`,
    elapsedMs,
  };
}
