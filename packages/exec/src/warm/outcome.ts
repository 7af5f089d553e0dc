import type { FunctionOutcome } from "@agentflow/engine";
import type { Answer } from "./channel.ts";

/** L-25, raw bytes: a result is to a function what stdout is to a command. */
export const RESULT_LIMIT_BYTES = 1_048_576;
export const LOG_LIMIT_BYTES = 262_144;

/** What ended a call: its answer, the end of its process, or a reason to end it. */
export type Stop =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: "timed_out" | "aborted" | "result_too_large" | "log_too_large" | "garbled" };

/** How a call ended, with its log. */
export function outcomeOf(
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
  return { kind, message: new TextDecoder().decode(body), stderr, elapsedMs };
}
