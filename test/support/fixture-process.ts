import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { until } from "./until.ts";

/** One line of JSON that a fixture program wrote; `said` names it. */
export type Said = {
  readonly said: string;
  readonly runId?: string;
  readonly token?: number;
  readonly outcome?: string;
};

/** A program of the tests' own, started to be killed. */
export class FixtureProcess {
  readonly pid: number;
  readonly lines: Said[] = [];
  /** Resolves with exit code or signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
  #log = "";
  #over: number | NodeJS.Signals | null = null;
  readonly #child: ChildProcess;

  constructor(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, [program, ...args], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (child.pid === undefined) throw new Error(`${program} could not be started`);
    this.#child = child;
    this.pid = child.pid;
    createInterface({ input: child.stdout }).on("line", (line) => this.#hear(line));
    child.stderr.on("data", (chunk: Buffer) => (this.#log += chunk.toString("utf8")));
    this.ended = new Promise((resolve) =>
      // "close" comes when everything it said has been read.
      child.once("close", (code, signal) => resolve((this.#over = code ?? signal ?? 0))),
    );
  }

  /** Lines that are none of ours (a log) are kept for error messages. */
  #hear(line: string): void {
    const parsed: unknown = line.startsWith("{") ? JSON.parse(line) : null;
    if (parsed !== null && "said" in (parsed as object)) this.lines.push(parsed as Said);
    else this.#log += `${line}\n`;
  }

  /** What it wrote beside its lines. */
  get log(): string {
    return this.#log;
  }

  get isOver(): boolean {
    return this.#over !== null;
  }

  /** Waits for a line; throws with its log when it ends before. */
  hears(what: string, match: (line: Said) => boolean): Promise<Said> {
    return until(what, () => {
      const found = this.lines.find(match);
      if (found === undefined && this.isOver) throw new Error(`${what}: ended before\n${this.#log}`);
      return found;
    });
  }

  /** Waits for something in what it wrote beside its lines. */
  hearsLog(what: string, pattern: RegExp): Promise<true> {
    return until(what, () => {
      const found = pattern.test(this.#log);
      if (!found && this.isOver) throw new Error(`${what}: ended before\n${this.#log}`);
      return found;
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** SIGKILL, also when it is stopped; resolves when it is gone. */
  async kill(): Promise<void> {
    if (!this.isOver) this.signal("SIGKILL");
    await this.ended;
  }
}
