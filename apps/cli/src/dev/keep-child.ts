import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Logger } from "@agentflow/host";
import { CommandError } from "../exit.ts";

/** The same from src/ and from dist/. */
const PROGRAM = fileURLToPath(new URL("../../bin/agentflow.mjs", import.meta.url));

/** A process that lived this long was well; the next start is not delayed. */
const WELL_MS = 10_000;
const MAX_DELAY_MS = 5000;
/** One that never was ready is not tried for ever. */
const MAX_FIRST_TRIES = 4;

export type KeptChild = {
  readonly name: string;
  /** 0 while there is none. */
  pid(): number;
  /** Resolves when it is ready for the first time; rejects when it gives up before. */
  readonly ready: Promise<void>;
  /** Ends it, so that it starts anew. */
  restart(): void;
  /** SIGTERM, and SIGKILL when that takes longer than `limitMs`. */
  stop(limitMs: number): Promise<void>;
  /** SIGKILL, at once. */
  kill(): void;
};

/** Starts `agentflow <name>` in our process group, with a channel by which it says that it is ready and notices our end. */
export function launch(name: "api" | "worker", env: Record<string, string>): ChildProcess {
  // Its logs are news, not data: stdout is ours alone.
  return fork(PROGRAM, [name], { env, execArgv: [], stdio: ["ignore", 2, 2, "ipc"] });
}

/** Keeps a process running: whatever ends it, it is started again after a short while (F-30). */
export function keepChild(name: string, start: () => Promise<ChildProcess>, logger: Logger): KeptChild {
  const stopping = new AbortController();
  const { signal } = stopping;
  let child: ChildProcess | null = null;
  let wasReady = false;
  let settle: { resolve: () => void; reject: (error: Error) => void };
  const ready = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  // Whoever waits for it gets the rejection; a stop before that is no error.
  ready.catch(() => {});

  const runOnce = async (): Promise<string> => {
    const started = await start();
    child = started;
    started.on("message", (message) => {
      if ((message as { type?: unknown } | null)?.type !== "ready") return;
      wasReady = true;
      settle.resolve();
    });
    if (signal.aborted) started.kill("SIGTERM");
    const how = await endOf(started);
    child = null;
    return how;
  };
  const run = async (): Promise<void> => {
    for (let failures = 0; !signal.aborted;) {
      const startedAt = performance.now();
      const how = await runOnce();
      if (signal.aborted) return;
      failures = performance.now() - startedAt > WELL_MS ? 0 : failures + 1;
      if (!wasReady && failures === MAX_FIRST_TRIES)
        throw new CommandError(`the ${name} does not start (${how}); its messages are above`);
      logger.warn({ name, how }, "a process ended, starting it again");
      await sleep(restartDelayMs(failures), undefined, { signal }).catch(() => {});
    }
  };
  const running = run().catch((error: unknown) => settle.reject(error as Error));
  return {
    name,
    pid: () => child?.pid ?? 0,
    ready,
    restart: () => void child?.kill("SIGKILL"),
    stop: async (limitMs) => {
      stopping.abort();
      child?.kill("SIGTERM");
      const kill = setTimeout(() => child?.kill("SIGKILL"), limitMs);
      await running;
      clearTimeout(kill);
    },
    kill: () => {
      stopping.abort();
      child?.kill("SIGKILL");
    },
  };
}

/** Nothing after a good life, then 100 ms, doubled each time up to 5 s. */
export function restartDelayMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(50 * 2 ** failures, MAX_DELAY_MS);
}

/** How a process ended, in a few words. */
async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return signal === null ? `exit code ${code}` : signal;
  } catch (error) {
    return (error as Error).message;
  }
}
