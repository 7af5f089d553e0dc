import { type ChildProcess, execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const packageFolder = join(import.meta.dirname, "..", "..");
const workspace = join(packageFolder, "..", "..");
const fixture = fileURLToPath(new URL("../../fixtures/worker.mjs", import.meta.url));

type Said = {
  readonly reaped?: number[];
  readonly cwd?: string;
  readonly exhausted?: boolean;
  readonly outcome?: { readonly kind: string; readonly stdout: string | null; readonly cause?: string };
};

/** A process, leader of its own group, that runs one command as a worker does: what can be killed to see what becomes of the command. */
export type WorkerProcess = {
  readonly child: ChildProcess;
  readonly pid: number;
  /** What it has said so far, merged. */
  readonly said: Said;
  /** Resolves with the exit code, null after a signal. */
  readonly exited: Promise<number | null>;
};

/** The fixture is plain Node and loads the compiled package, so that must be the present one. */
export async function compileExec(): Promise<void> {
  const compile = promisify(execFile)(join(workspace, "node_modules", ".bin", "tsc"), ["-b", packageFolder], {
    cwd: workspace,
  });
  // Files are written in spite of type errors, which are not what these tests are about.
  await compile.catch(() => {});
}

export type WorkerOptions = {
  readonly dataDir: string;
  readonly command: string;
  readonly mode?: "exhaust-descriptors" | "function";
  /** Shell text that ends by starting `"$@"`. */
  readonly prelude?: string;
};

export function startWorker({ dataDir, command, mode, prelude = 'exec "$@"' }: WorkerOptions): WorkerProcess {
  const words = [process.execPath, fixture, dataDir, command, ...(mode === undefined ? [] : [mode])];
  const child = spawn("bash", ["-c", prelude, "worker", ...words], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  if (child.pid === undefined) throw new Error("The worker process could not be started.");
  const said: Said = {};
  createInterface({ input: child.stdout }).on("line", (line) => Object.assign(said, JSON.parse(line)));
  // "close" comes when everything it said has been read.
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, pid: child.pid, said, exited };
}
