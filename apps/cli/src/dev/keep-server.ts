import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "@agentflow/host";

const ALIVE_POLL_MS = 500;
const RETRY_MS = 1000;

/** A private Postgres or Redis, our own or one that another process started on the same folder. */
export type Server = {
  readonly url: string;
  readonly pid: number;
  readonly exited: Promise<unknown> | null;
  stop(): Promise<void>;
};

export type KeptServer = {
  url(): string;
  stop(): Promise<void>;
};

export type KeepServerOptions = {
  readonly what: string;
  /** Starts it, or attaches to it; `before` is the URL to come back to if possible. */
  readonly start: (before: string | undefined) => Promise<Server>;
  /** It had to move to another URL. */
  readonly onMoved: () => void;
  readonly logger: Logger;
};

/** Starts a private server and starts it again whenever it ends, also when its owner was another process that stopped. */
export async function keepServer({ what, start, onMoved, logger }: KeepServerOptions): Promise<KeptServer> {
  let server = await start(undefined);
  const stopping = new AbortController();
  const { signal } = stopping;

  const startAgain = async (before: string): Promise<Server | null> => {
    while (!signal.aborted) {
      try {
        return await start(before);
      } catch (err) {
        logger.error({ what, err }, "a private server does not start");
        await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
      }
    }
    return null;
  };
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await gone(server, signal);
      if (signal.aborted) return;
      logger.warn({ what, pid: server.pid }, "a private server ended, starting it again");
      const { url } = server;
      server = (await startAgain(url)) ?? server;
      if (server.url !== url) onMoved();
    }
  };
  const watching = watch();
  return {
    url: () => server.url,
    stop: async () => {
      stopping.abort();
      await watching;
      await server.stop();
    },
  };
}

/** Resolves when the server has ended or `signal` is aborted. */
async function gone({ exited, pid }: Server, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  if (exited !== null) return void (await Promise.race([exited, aborted]));
  while (!signal.aborted && isAlive(pid)) await sleep(ALIVE_POLL_MS, undefined, { signal }).catch(() => {});
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
