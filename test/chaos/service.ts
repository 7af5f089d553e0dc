import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

const LOG_UNITS = 20_000;

/** A command line with its environment; a function where each start has its own. */
export type Program = { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };

/**
 * One process of the service under a supervisor: it is started again whenever it ends, as a container is. An end that nobody
 * asked for, after it was ready, is noted.
 */
export class Service {
  readonly name: string;
  /** Ends by itself after it was ready, with the end of its log. */
  readonly crashes: string[] = [];
  readonly #program: () => Program;
  #child: ChildProcess | null = null;
  #log = "";
  #wanted = false;
  #pauseMs = 200;
  #over: Promise<void> = Promise.resolve();
  #ready = false;
  /** The process whose end was asked for. */
  #asked: ChildProcess | null = null;

  constructor(name: string, program: () => Program) {
    this.name = name;
    this.#program = program;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isReady(): boolean {
    return this.#ready;
  }

  get log(): string {
    return this.#log;
  }

  start(): void {
    this.#wanted = true;
    this.#spawn();
  }

  #spawn(): void {
    const { args, env } = this.#program();
    // The channel is what a supervisor gives: without it, a process that lost its parent would stay.
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    this.#child = child;
    this.#ready = false;
    child.on("message", () => void (this.#ready = true));
    createInterface({ input: child.stdout! }).on("line", (line) => this.#hear(line));
    createInterface({ input: child.stderr! }).on("line", (line) => this.#hear(line));
    this.#over = new Promise((resolve) =>
      child.once("close", (code, signal) => {
        this.#ended(child, code, signal);
        resolve();
      }),
    );
  }

  #hear(line: string): void {
    if (line === '{"said":"ready"}') this.#ready = true;
    else this.#log = `${this.#log}${line}\n`.slice(-LOG_UNITS);
  }

  #ended(child: ChildProcess, code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#ready && this.#asked !== child)
      this.crashes.push(`${this.name} ended by itself with ${code ?? signal}: ${this.#log.slice(-1500)}`);
    this.#ready = false;
    this.#child = null;
    if (this.#wanted) setTimeout(() => this.#wanted && this.#child === null && this.#spawn(), this.#pauseMs);
  }

  /** Sends a signal that ends it; it comes back after the pause. */
  end(signal: "SIGKILL" | "SIGTERM", pauseMs: number): void {
    this.#pauseMs = pauseMs;
    this.#asked = this.#child;
    this.#child?.kill(signal);
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#child?.kill(signal);
  }

  /** Ends it for good. */
  async close(): Promise<void> {
    this.#wanted = false;
    this.end("SIGKILL", 0);
    await this.#over;
  }
}
