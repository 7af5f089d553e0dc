import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres, startRedis } from "@agentflow/host";

/** A server of one test, which may take it away. */
export type OwnServer = {
  readonly url: string;
  /** Ends it; its data stays. */
  takeAway(): Promise<void>;
  /** Ends it as a crash does. */
  crash(): Promise<void>;
  /** Starts it again under the same address. */
  bringBack(): Promise<void>;
  close(): Promise<void>;
};

type Running = {
  readonly url: string;
  readonly pid: number;
  readonly exited: Promise<unknown> | null;
  stop(): Promise<void>;
};

const start = {
  postgres: (folder: string, before?: string): Promise<Running> =>
    startPostgres(folder, { fsync: false, before }),
  redis: async (folder: string, before?: string): Promise<Running> => {
    const server = await startRedis(folder, { before });
    if (server === null) throw new Error("there is no redis-server");
    return server;
  },
};

/** PostgreSQL's own way to end without a checkpoint takes its processes with it. */
const CRASH = { postgres: "SIGQUIT", redis: "SIGKILL" } as const;

export async function ownServer(kind: keyof typeof start): Promise<OwnServer> {
  const folder = mkdtempSync(join(tmpdir(), `agentflow-${kind}-`));
  // As root, the server runs as another user, who must be able to pass through.
  chmodSync(folder, 0o711);
  let server: Running | null = await start[kind](folder);
  const { url } = server;
  const takeAway = async (): Promise<void> => {
    await server?.stop();
    server = null;
  };
  return {
    url,
    takeAway,
    async crash() {
      if (server === null) return;
      process.kill(server.pid, CRASH[kind]);
      await server.exited;
      server = null;
    },
    async bringBack() {
      server = await start[kind](folder, url);
      if (server.url !== url) throw new Error(`${kind} came back as ${server.url}, not ${url}`);
    },
    async close() {
      await takeAway();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
