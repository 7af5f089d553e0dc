/** Folders of one attempt: private (0700), made before it and removed after it. All paths are absolute. */
export type StepDirectories = {
  /** Holds everything else; the unit that is removed. */
  readonly root: string;
  /** The working directory: `${cwd}` and `${nodeRunDir}` (F-22). */
  readonly cwd: string;
  /** `${nodeTmpDir}`, also TMPDIR; inside `cwd`. */
  readonly tmp: string;
  /** `${outputsDir}`; inside `cwd`. */
  readonly outputs: string;
  /** Private input files; beside `cwd`, so that a listing of the working directory shows none of them. */
  readonly in: string;
};

/** A value handed over as a private file (mode 0600, exactly these bytes). `alsoEnv`: in the environment too while it is small (L-23). */
export type CommandFile = {
  readonly fileName: string;
  readonly text: string;
  readonly alsoEnv: boolean;
};

/** One command to run, final: nothing in it is rendered or quoted again. */
export type CommandRequest = {
  /** Shell text. */
  readonly command: string;
  /** The contract's AGENTFLOW_* variables that are always small. */
  readonly env: Readonly<Record<string, string>>;
  /** Variable base name → private file; `<name>_FILE` holds its path. */
  readonly files: Readonly<Record<string, CommandFile>>;
  /** Text the process reads on stdin; absent or null gives it an empty one (F-26). */
  readonly stdin?: string | null;
  /** Active time left in ms, any size; null for none. */
  readonly deadlineMs: number | null;
  /** Names the step in the process's environment (AGENTFLOW_STEP): how leftovers are recognised. */
  readonly marker: string;
  readonly directories: StepDirectories;
};

/** Why no process could be started. `no_resources` is infrastructure trouble (L-51), the others are step errors. */
export type SpawnFailure = "argument_too_long" | "not_executable" | "no_resources" | "other";

/**
 * How a command ended. Whatever the kind, no process of its group lives any more. `stderr` is sanitised (L-47) and holds at most
 * 262 144 bytes of what came; `elapsedMs` is whole ms on the monotonic clock.
 */
export type CommandOutcome =
  /** Exited by itself; the exit code decides (L-24). `stdout` is complete. */
  | {
      readonly kind: "exited";
      readonly stdout: Uint8Array;
      readonly stderr: string;
      readonly exitCode: number;
      readonly elapsedMs: number;
    }
  /** Died by a signal that was not ours. */
  | {
      readonly kind: "signalled";
      readonly signal: string;
      readonly stdout: Uint8Array;
      readonly stderr: string;
      readonly elapsedMs: number;
    }
  /** One byte more than the limit came, and the group was killed (L-25). */
  | {
      readonly kind: "too_large";
      readonly stream: "stdout" | "stderr";
      readonly limitBytes: number;
      readonly stderr: string;
      readonly elapsedMs: number;
    }
  /** The deadline passed (L-29). */
  | { readonly kind: "timed_out"; readonly stderr: string; readonly elapsedMs: number }
  /** The signal was aborted: cancel, lost lease, shutdown. */
  | { readonly kind: "aborted"; readonly elapsedMs: number }
  | {
      readonly kind: "spawn_failed";
      readonly cause: SpawnFailure;
      readonly message: string;
      readonly elapsedMs: number;
    };

/** May be given as the reason of an abort: how long the group has between SIGTERM and SIGKILL; 5 s without it, 1 s at shutdown (S-27). */
export type AbortReason = { readonly killGraceMs: number };
