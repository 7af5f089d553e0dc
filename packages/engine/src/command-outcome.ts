import { decodeUtf8Strict, failure, utf8Length } from "@agentflow/core";
import type { Failure, SlotValues } from "@agentflow/core";
import type { CommandOutcome } from "./ports/command.ts";
import { failed } from "./step-context.ts";
import type { StepContext, Stop } from "./step-context.ts";

/** Bytes of stderr's tail that a failure carries. */
const STDERR_TAIL_UNITS = 4000;

/** What Linux takes as one argument, without its final NUL. */
const ARGUMENT_LIMIT_BYTES = 131_071;

/** Raw stdout of a command that ended well. */
export type CommandOutput = { readonly kind: "output"; readonly stdout: Uint8Array };

/**
 * Reads how a command ended: only exit code 0 without a signal gives output (L-24, L-25, P-41). `slots` are the values that
 * stand in it, so that one too long for a program is named (F-22).
 */
export function readCommandOutcome(
  context: StepContext,
  outcome: CommandOutcome,
  slots: SlotValues = new Map(),
): CommandOutput | Stop {
  switch (outcome.kind) {
    case "exited":
      return outcome.exitCode === 0
        ? { kind: "output", stdout: outcome.stdout }
        : failed(
            exitFailure(
              `The command exited with code ${outcome.exitCode}.`,
              outcome.exitCode,
              null,
              outcome.stderr,
            ),
          );
    case "signalled":
      return failed(
        exitFailure(`The command was killed by ${outcome.signal}.`, null, outcome.signal, outcome.stderr),
      );
    case "too_large":
      return failed(
        failure(
          outcome.stream === "stdout" ? "stdout_too_large" : "stderr_too_large",
          `The command wrote more than ${outcome.limitBytes} bytes to ${outcome.stream} and was killed.`,
          { limitBytes: outcome.limitBytes, stderrTail: stderrTail(outcome.stderr) },
        ),
      );
    case "timed_out":
      return { kind: "deadline", owner: context.deadline?.owner ?? "" };
    case "aborted":
      return { kind: "aborted" };
    case "spawn_failed":
      return outcome.cause === "no_resources"
        ? { kind: "infrastructure", message: outcome.message }
        : failed(
            failure(
              "spawn_failed",
              `The command could not be started: ${outcome.message}${outcome.cause === "argument_too_long" ? tooLong(slots) : ""}`,
            ),
          );
  }
}

function tooLong(slots: SlotValues): string {
  const long = [...slots].filter(([, value]) => utf8Length(value) > ARGUMENT_LIMIT_BYTES);
  if (long.length === 0) return "";
  const named = long.map(([slot, value]) => `\`${slot}\` (${utf8Length(value)} bytes)`).join(", ");
  return ` One argument takes at most ${ARGUMENT_LIMIT_BYTES} bytes, and longer is ${named}: read it from the node's input file.`;
}

/** The output as text, strict UTF-8 (L-26). */
export function decodedOutput({ stdout }: CommandOutput): string | Stop {
  return (
    decodeUtf8Strict(stdout) ?? failed(failure("stdout_not_utf8", "The command's stdout is not valid UTF-8."))
  );
}

function exitFailure(what: string, exitCode: number | null, signal: string | null, stderr: string): Failure {
  const tail = stderrTail(stderr);
  const said =
    tail.trim() === "" ? "It wrote nothing to stderr." : `Its stderr ends: ${tail.trim().slice(-500)}`;
  return failure("exit_nonzero", `${what} ${said}`, { exitCode, signal, stderrTail: tail });
}

/** End of a log, as much of it as a failure carries. */
export function stderrTail(stderr: string): string {
  return stderr.slice(-STDERR_TAIL_UNITS);
}
