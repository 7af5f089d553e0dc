import { type ChildProcess, spawn } from "node:child_process";
import { basename, join } from "node:path";
import type { Duplex, Readable } from "node:stream";
import type { StepDirectories } from "@agentflow/engine";
import { STEP_VARIABLE } from "../process/owner.ts";
import { isSystemError, type LaunchFailure, type LaunchTools, spawnFailure } from "../step/launch.ts";
import type { ChildPipe } from "../step/pipes.ts";
import { identityOf } from "../step/step-user.ts";

/** The program of the child; the same place seen from the sources and from the compiled package. */
const PROGRAM = join(import.meta.dirname, "..", "..", "child", "main.mjs");

export type Started = {
  readonly kind: "started";
  readonly child: ChildProcess;
  readonly group: number;
  /** Calls and answers. */
  readonly channel: Duplex;
  /** stdout and stderr in one, in the order in which they were written. */
  readonly log: Readable;
};

/**
 * Starts a process that waits for calls, as the leader of its own group and session, with the environment of a command and no
 * descriptors but its log and its channel (S-20, F-24).
 */
export async function startChild(
  flowDir: string,
  directories: StepDirectories,
  tools: LaunchTools,
  maxHeapBytes: number,
): Promise<Started | LaunchFailure> {
  let pipe: ChildPipe | null = null;
  let started: Started | null = null;
  try {
    pipe = await tools.pipes.take();
    started = await start(flowDir, directories, tools, maxHeapBytes, pipe);
    return started;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return spawnFailure(error);
  } finally {
    pipe?.release();
    if (started === null) pipe?.readable.destroy();
  }
}

/** Throws the system's error when there is no process. */
async function start(
  flowDir: string,
  directories: StepDirectories,
  { wrapper, environment, user }: LaunchTools,
  maxHeapBytes: number,
  pipe: ChildPipe | null,
): Promise<Started> {
  const heapMiB = Math.max(1, Math.floor(maxHeapBytes / 1_048_576));
  const own = [process.execPath, `--max-old-space-size=${heapMiB}`, PROGRAM, flowDir];
  const [program = process.execPath, ...words]: readonly string[] = [...wrapper, ...own];
  const child = spawn(program, words, {
    cwd: directories.cwd,
    env: {
      ...environment,
      TMPDIR: directories.tmp,
      [STEP_VARIABLE]: `warm@${basename(directories.root)}`,
    },
    detached: true,
    stdio: ["ignore", pipe?.childEnd ?? "ignore", pipe?.childEnd ?? "pipe", "pipe"],
    ...identityOf(user),
  });
  const channel = child.stdio[3];
  const log = pipe?.readable ?? child.stderr;
  if (child.pid === undefined || log === null || !isDuplex(channel)) {
    // Some errors are thrown by spawn, the others come as an event.
    throw await new Promise<Error>((resolve) => child.once("error", resolve));
  }
  child.on("error", () => {});
  return { kind: "started", child, group: child.pid, channel, log };
}

/** Node makes the fourth descriptor a socket pair; its types say stream only. */
function isDuplex(stream: ChildProcess["stdio"][number] | undefined): stream is Duplex {
  return stream !== null && stream !== undefined && "write" in stream && "read" in stream;
}
