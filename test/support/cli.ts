import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { until } from "./until.ts";

export const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
export const AGENTFLOW = fileURLToPath(new URL("../../apps/cli/bin/agentflow.mjs", import.meta.url));

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** A command at work: what it has written so far, and how it ends. */
export class Command {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";
  #over = false;

  constructor(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    // Not what the tests' own machine is configured with, and a process group of its own.
    const { DATABASE_URL: _, REDIS_URL: __, AGENTFLOW_URL: ___, ...inherited } = process.env;
    this.child = spawn(program, args, {
      cwd: REPOSITORY,
      env: { ...inherited, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    this.ended = new Promise((resolve, reject) => {
      this.child.once("error", reject);
      this.child.once("close", (code) => {
        this.#over = true;
        resolve({ code, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error("the command could not be started");
    return this.child.pid;
  }

  /** Waits until stdout holds a match; throws with all it wrote when the command ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray> {
    return until(`the command says ${pattern}`, () => {
      const found = pattern.exec(this.stdout);
      if (found === null && this.#over)
        throw new Error(`ended without saying ${pattern}\n${this.stdout}\n${this.stderr}`);
      return found;
    });
  }

  /** Asks it to stop as a supervisor would, and waits for its end. */
  stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Ended> {
    if (!this.#over) this.child.kill(signal);
    return this.ended;
  }
}

/** Runs one command of the CLI to its end. */
export function agentflow(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Command(process.execPath, [AGENTFLOW, ...args], env).ended;
}

export type Serving = {
  readonly command: Command;
  readonly url: string;
  readonly pids: { readonly api: number; readonly workers: readonly number[] };
};

/** Starts `agentflow dev --json` and waits for its first line. */
export async function serve(...args: string[]): Promise<Serving> {
  const command = new Command(process.execPath, [AGENTFLOW, "dev", "--json", ...args]);
  const [line] = await command.says(/^.*\n/);
  return { command, ...(JSON.parse(line) as Omit<Serving, "command">) };
}

/** What /proc knows of a process; null when it is gone or dead. */
export function processOf(pid: number): { parent: number; group: number; commandLine: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z") return null;
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    return { parent: Number(parent), group: Number(group), commandLine };
  } catch {
    return null;
  }
}

/** Pids of the living children of a process. */
export function processesBelow(parent: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => processOf(pid)?.parent === parent);
}
