import type { CommandOutcome } from "./command.ts";

/** One call of a function of a flow's bundle. Texts of JSON are exact; null stands for what the call has not. */
export type FunctionCall = {
  /** Path of the module inside the bundle; its default export is called. */
  readonly file: string;
  /** One JSON object: slot → value. */
  readonly inputs: string;
  /** State, iteration and key of the innermost loop around the call. */
  readonly state: string | null;
  readonly iteration: number | null;
  readonly idempotencyKey: string | null;
  /** Payload of the resume that the iteration follows (L-40). */
  readonly resume: string | null;
  /** Content of the wired context as JSON, without credentials (F-7). */
  readonly context: string | null;
  readonly maxIterations: number | null;
  /** Active time left in ms, any size; null for none. */
  readonly deadlineMs: number | null;
};

/** The flow version a function belongs to: calls of different versions never share a process. */
export type FunctionHome = { readonly flowVersionId: string; readonly bundleDigest: string };

/**
 * How a call ended. `stderr` is all that was logged in it, sanitised (L-47), at most 262 144 bytes. After every kind but `returned`,
 * `threw`, `no_function` and `not_json` the process is dead, and with it whatever it had started.
 */
export type FunctionOutcome =
  /** `stdout` is the result: text as it was returned, everything else as JSON; at most 1 MiB. */
  | {
      readonly kind: "returned";
      readonly form: "text" | "json";
      readonly stdout: Uint8Array;
      readonly stderr: string;
      readonly elapsedMs: number;
    }
  /** It threw; or there is no such function; or its result has no JSON. */
  | {
      readonly kind: "threw" | "no_function" | "not_json";
      readonly message: string;
      readonly stderr: string;
      readonly elapsedMs: number;
    }
  /** Its process ended in the middle of the call. */
  | {
      readonly kind: "died";
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly stderr: string;
      readonly elapsedMs: number;
    }
  | Extract<CommandOutcome, { kind: "too_large" | "timed_out" | "aborted" | "spawn_failed" }>;

/** Calls functions in warm processes. Made by exec. */
export interface FunctionRunner {
  /**
   * Calls a function in a process that serves this flow version only, one call at a time. The signal and the deadline abort the
   * function's own signal, and a second later kill its process group.
   */
  call(home: FunctionHome, call: FunctionCall, signal: AbortSignal): Promise<FunctionOutcome>;
}
