import type { CommandOutcome } from "./command.ts";

/** Monotonic and wall time; tests set it. */
export interface Clock {
  /** Monotonic ms: durations only (L-35). */
  monotonicMs(): number;
  /** Waits `ms`, however long; sooner when the signal aborts. Never rejects. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

/** What a command step asks for; the runner renders nothing: the text is final. */
export type CommandStep = {
  readonly command: string;
  /** Contract variables that are always small. */
  readonly env: Readonly<Record<string, string>>;
  /** Values handed over as private files, and in the environment too while small (L-23). */
  readonly files: Readonly<
    Record<string, { readonly fileName: string; readonly text: string; readonly alsoEnv: boolean }>
  >;
  /** Text the process reads on stdin; left out, it reads none. */
  readonly stdin?: string;
  /** Active time left, ms; null for none. */
  readonly deadlineMs: number | null;
  readonly marker: string;
};

/** Folders of one attempt; placeholders of F-22 name them. */
export type StepFolders = {
  readonly nodeRunDir: string;
  readonly nodeTmpDir: string;
  readonly outputsDir: string;
};

/** Fresh private folders for one attempt of one step, with the flow's bundle laid out beside them. */
export interface CommandPlace extends StepFolders {
  /** The read-only bundle (F-22 `${flowDir}`). */
  readonly flowDir: string;
  /** Text of a file of the bundle, strict UTF-8; null when it is not there or is no text. */
  readText(path: string): Promise<string | null>;
  /** Runs the command to its end; the signal kills its process group. Called at most once per place. */
  run(step: CommandStep, signal: AbortSignal): Promise<CommandOutcome>;
  /** Removes the folders. */
  close(): Promise<void>;
}

/** Runs commands of flow versions. Made by exec; the engine never starts a process itself. */
export interface CommandRunner {
  /** Lays the bundle out (once per digest) and makes the folders. */
  open(bundleDigest: string): Promise<CommandPlace>;
}
