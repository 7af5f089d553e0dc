import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { installedPostgres, runnablePostgres } from "./binaries.ts";
import { withFolderLock } from "./folder-lock.ts";
import type { Outcome } from "./guarded-process.ts";
import {
  clusterAt,
  openCluster,
  readMeta,
  writeMeta,
  type Cluster,
  type ClusterMeta,
} from "./postgres-cluster.ts";
import { runServer, stop } from "./postgres-server.ts";
import { disarmPostmasterFile, runningPostmaster, type Postmaster } from "./postmaster-file.ts";
import { processIdentity, signalIfAlive } from "./process-identity.ts";
import { openDataDir, ownerOrServiceUser } from "./system-user.ts";

const LOCK_WAIT_MS = 150_000;
const ATTACH_LIMIT_MS = 30_000;
const POLL_MS = 20;

export type EmbeddedPostgres = {
  /** With user and password; the password consists of letters, digits, `-` and `_`. */
  url: string;
  /** Whether this process started the server; it then ends with this process. */
  owner: boolean;
  pid: number;
  /** Ends the server if this process owns it. */
  stop(): Promise<void>;
  /** Resolves when the server of the owner has ended; null for others. */
  exited: Promise<Outcome> | null;
};

export type PostgresOptions = {
  /** false: a throw-away server for tests, fast and not safe against power failure. */
  fsync?: boolean;
  /** The URL it had before: it gets it again if the port is still free, so that its clients find it. */
  before?: string | undefined;
};

/**
 * Starts PostgreSQL on the data folder, or attaches to the server that another process started there (S-3). Any number
 * of processes may call it at once. It survives SIGKILL of the owner and reboots; errors say what to do about them.
 */
export async function startPostgres(
  dataDir: string,
  { fsync = true, before }: PostgresOptions = {},
): Promise<EmbeddedPostgres> {
  const source = installedPostgres();
  const user = ownerOrServiceUser(clusterAt(resolve(dataDir), source.major, null).db);
  await openDataDir(resolve(dataDir), user);
  // The path that the server's command line will show, whatever links lead to it.
  const folder = realpathSync(dataDir);
  const cluster = clusterAt(folder, source.major, user);
  return withFolderLock(join(folder, "postgres.lock"), LOCK_WAIT_MS, async () => {
    const other = await attach(cluster);
    if (other !== null) return other;
    const programs = await runnablePostgres(source, folder, user);
    const meta = await openCluster(cluster, programs, fsync);
    disarmPostmasterFile(cluster.db);
    const server = await runServer(programs.postgres, cluster, fsync, portOf(before));
    writeMeta(cluster, { ...meta, owner: processIdentity(process.pid) ?? "" });
    return {
      url: urlOf(meta, server.port),
      owner: true,
      pid: server.pid,
      stop: server.stop,
      exited: server.exited,
    };
  });
}

function portOf(url: string | undefined): number | undefined {
  return url === undefined ? undefined : Number(new URL(url).port);
}

/** The running server of a living owner; null when there is none, and then nothing runs on the cluster any more. */
async function attach(cluster: Cluster): Promise<EmbeddedPostgres | null> {
  const deadline = performance.now() + ATTACH_LIMIT_MS;
  for (;;) {
    const postmaster = runningPostmaster(cluster.db);
    if (postmaster === null) return null;
    const meta = readMeta(cluster);
    if (meta === null || !ownerLives(meta)) {
      await end(cluster, postmaster);
      return null;
    }
    if (postmaster.port !== null) {
      const url = urlOf(meta, postmaster.port);
      if (await accepts(url))
        return { url, owner: false, pid: postmaster.pid, stop: async () => {}, exited: null };
    }
    if (performance.now() > deadline)
      throw new Error(
        `PostgreSQL (process ${postmaster.pid}) runs on ${cluster.db} but does not answer, see ${cluster.log}`,
      );
    await sleep(POLL_MS);
  }
}

function ownerLives({ owner }: ClusterMeta): boolean {
  return owner !== "" && processIdentity(Number.parseInt(owner, 10)) === owner;
}

/** A server without an owner is on its way down; where the kernel did not tell it to go, we do. */
async function end(cluster: Cluster, { pid }: Postmaster): Promise<void> {
  const gone = (async () => {
    while (runningPostmaster(cluster.db)?.pid === pid) await sleep(POLL_MS);
  })();
  await stop((signal) => signalIfAlive(pid, signal), gone);
}

function urlOf({ user, password }: ClusterMeta, port: number): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
}

/** Whether the server lets us in; false while it starts or stops. */
async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === "28P01")
      throw new Error(
        "the running PostgreSQL refuses the password in meta.json; stop it or choose another AGENTFLOW_DATA_DIR",
        { cause: error },
      );
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
