import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { basename, join } from "node:path";
import type { Readable } from "node:stream";
import type { CommandRequest, SpawnFailure } from "@agentflow/engine";
import { STEP_VARIABLE } from "../process/owner.ts";
import type { ChildPipe, PipePool } from "./pipes.ts";
import { writeInputFiles, writePrivate } from "./private-files.ts";
import { identityOf, type StepUser } from "./step-user.ts";

/** Linux takes 128 KiB in one argument or one environment string, the closing NUL included. */
const MAX_STRING_BYTES = 128 * 1024 - 1;

const SHELL = "/bin/sh";

/** What all commands of a worker have in common. */
export type LaunchTools = {
  /** From `sharedEnvironment`. */
  readonly environment: Readonly<Record<string, string>>;
  /** From `parseWrapper`. */
  readonly wrapper: readonly string[];
  readonly pipes: PipePool;
  /** From `findStepUser`; null: as the worker. */
  readonly user: StepUser | null;
};

export type LaunchFailure = {
  readonly kind: "failed";
  readonly cause: SpawnFailure;
  readonly message: string;
};

/** `group` is the process group the command leads. */
export type Launched = {
  readonly kind: "started";
  readonly child: ChildProcess;
  readonly group: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
};

type Prepared = {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdinPath: string | null;
};

function failed(cause: SpawnFailure, message: string): LaunchFailure {
  return { kind: "failed", cause, message };
}

/** Starts the command as the leader of its own group and session, with only the environment and descriptors meant for it (S-20, F-24). */
export async function launch(
  request: CommandRequest,
  tools: LaunchTools,
  signal: AbortSignal,
): Promise<Launched | LaunchFailure | { readonly kind: "aborted" }> {
  const outputs: (ChildPipe | null)[] = [];
  let launched: Launched | null = null;
  try {
    const prepared = await prepare(request, tools);
    for (let stream = 0; stream < 2; stream += 1) outputs.push(await tools.pipes.take());
    if (signal.aborted) return { kind: "aborted" };
    const refusal = unfit(prepared);
    if (refusal !== null) return refusal;
    launched = await start(prepared, request.directories.cwd, outputs, tools.user);
    return launched;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    // Everything but the spawning itself is about our own files and pipes.
    return error.syscall?.startsWith("spawn") === true ? spawnFailure(error) : filesFailure(error);
  } finally {
    for (const output of outputs) {
      output?.release();
      if (launched === null) output?.readable.destroy();
    }
  }
}

/** Whether an error came from a system call, which makes it an outcome and not a defect. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error;
}

function filesFailure(error: NodeJS.ErrnoException): LaunchFailure {
  return failed("no_resources", `The step's private files could not be made: ${error.message}`);
}

/** Writes the private files and settles arguments and environment. A command too long for one argument runs from a file (F-22). */
async function prepare(request: CommandRequest, tools: LaunchTools): Promise<Prepared> {
  const { command, directories } = request;
  const announced = await writeInputFiles(directories.in, request.files, tools.user);
  const long = Buffer.byteLength(command) > MAX_STRING_BYTES;
  const commandPath = join(directories.in, "command.sh");
  if (long) await writePrivate(commandPath, command, tools.user);
  const stdinPath =
    request.stdin === undefined || request.stdin === null ? null : join(directories.in, "stdin");
  if (stdinPath !== null) await writePrivate(stdinPath, request.stdin ?? "", tools.user);
  return {
    argv: [...tools.wrapper, SHELL, ...(long ? [commandPath] : ["-c", command])],
    env: {
      ...tools.environment,
      ...request.env,
      ...announced,
      TMPDIR: directories.tmp,
      [STEP_VARIABLE]: `${request.marker}@${basename(directories.root)}`,
    },
    stdinPath,
  };
}

/** Finds what the kernel would refuse, to name it. */
function unfit({ argv, env }: Prepared): LaunchFailure | null {
  if (argv.some((word) => word.includes("\0")))
    return failed("other", "The command contains a NUL character, which no process can be given.");
  for (const [name, value] of Object.entries(env)) {
    if (value.includes("\0"))
      return failed(
        "other",
        `The variable ${name} contains a NUL character, which no process can be given; read ${name}_FILE.`,
      );
    if (Buffer.byteLength(`${name}=${value}`) > MAX_STRING_BYTES) {
      return failed(
        "argument_too_long",
        `The variable ${name} is longer than the 128 KiB the system takes in one string.`,
      );
    }
  }
  return null;
}

/** Throws the system's error when there is no process. */
async function start(
  prepared: Prepared,
  cwd: string,
  [forStdout, forStderr]: readonly (ChildPipe | null)[],
  user: StepUser | null,
): Promise<Launched> {
  const [program = SHELL, ...words] = prepared.argv;
  const stdin = prepared.stdinPath === null ? "ignore" : openSync(prepared.stdinPath, "r");
  const stdio: StdioOptions = [stdin, forStdout?.childEnd ?? "pipe", forStderr?.childEnd ?? "pipe"];
  let child: ChildProcess;
  try {
    child = spawn(program, words, { cwd, env: prepared.env, detached: true, stdio, ...identityOf(user) });
  } finally {
    if (stdin !== "ignore") closeSync(stdin);
  }
  const stdout = forStdout?.readable ?? child.stdout;
  const stderr = forStderr?.readable ?? child.stderr;
  if (child.pid === undefined || stdout === null || stderr === null) {
    // Some errors are thrown by spawn, the others come as an event.
    throw await new Promise<Error>((resolve) => child.once("error", resolve));
  }
  child.on("error", () => {});
  return { kind: "started", child, group: child.pid, stdout, stderr };
}

/** Why the system refused to start a process, told apart by who can mend it (L-51). */
export function spawnFailure(error: NodeJS.ErrnoException): LaunchFailure {
  switch (error.code) {
    case "E2BIG":
      return failed(
        "argument_too_long",
        "Arguments and environment of the command are together longer than the system takes.",
      );
    case "EAGAIN":
    case "ENOMEM":
    case "EMFILE":
    case "ENFILE":
      return failed("no_resources", `The system has no resources left for another process (${error.code}).`);
    case "ENOENT":
    case "EACCES":
    case "ENOEXEC":
      return failed(
        "not_executable",
        `The shell or the wrapper in front of it could not be executed (${error.code}).`,
      );
    default:
      return failed("other", `The system says: ${error.message}`);
  }
}
