import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./free-port.ts";
import { ended, spawnGuarded, type Outcome } from "./guarded-process.ts";
import type { Cluster } from "./postgres-cluster.ts";
import { readPostmaster } from "./postmaster-file.ts";

const POLL_MS = 5;
/** Recovery after a power failure reads up to max_wal_size. */
const START_LIMIT_MS = 120_000;
const FAST_STOP_LIMIT_MS = 20_000;
const PORT_TRIES = 5;
const LOG_MAX_BYTES = 4 * 1024 * 1024;

export type PostgresServer = {
  pid: number;
  port: number;
  exited: Promise<Outcome>;
  stop: () => Promise<void>;
};

/**
 * Starts a server on an existing cluster with nothing running on it; it listens on 127.0.0.1 only, on `port` when that is
 * free, else on a random one.
 */
export async function runServer(
  postgres: string,
  cluster: Cluster,
  fsync: boolean,
  port?: number,
): Promise<PostgresServer> {
  for (let tries = 1; ; tries++) {
    const wanted = tries === 1 ? port : undefined;
    const result = await tryPort(postgres, cluster, fsync, wanted ?? (await freePort()));
    if (typeof result !== "string") return result;
    if (tries === PORT_TRIES || !/could not bind|could not create any TCP/.test(result))
      throw new Error(`PostgreSQL did not start on ${cluster.db}: ${result}`);
  }
}

/** The server, or what it wrote to its log before it gave up. */
async function tryPort(
  postgres: string,
  cluster: Cluster,
  fsync: boolean,
  port: number,
): Promise<PostgresServer | string> {
  const log = openLog(cluster.log);
  const args = [
    "-D",
    cluster.db,
    "-p",
    String(port),
    ...settings(fsync).flatMap((setting) => ["-c", setting]),
  ];
  const child = spawnGuarded(postgres, args, {
    user: cluster.user,
    // SIGINT is PostgreSQL's fast shutdown: clean, and without waiting for clients.
    deathSignal: "INT",
    stdio: ["ignore", log.descriptor, log.descriptor],
  });
  closeSync(log.descriptor);
  let running = true;
  const exited = ended(child).finally(() => (running = false));
  exited.catch(() => {});

  const deadline = performance.now() + START_LIMIT_MS;
  while (running) {
    const postmaster = readPostmaster(cluster.db);
    if (postmaster?.pid === child.pid && postmaster?.ready === true) {
      return {
        pid: postmaster.pid,
        port,
        exited,
        stop: () => stop((signal) => child.kill(signal), exited),
      };
    }
    if (performance.now() > deadline) {
      child.kill("SIGQUIT");
      throw new Error(`PostgreSQL was not ready within ${START_LIMIT_MS} ms, see ${cluster.log}`);
    }
    await Promise.race([sleep(POLL_MS), exited]);
  }
  await exited;
  return readFileSync(cluster.log).subarray(log.start).toString().trim().slice(-4000);
}

function settings(fsync: boolean): string[] {
  return [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=200",
    "synchronous_commit=on",
    "shared_buffers=128MB",
    "max_wal_size=1GB",
    "jit=off",
    "log_checkpoints=off",
    "timezone=UTC",
    "log_timezone=UTC",
    ...(fsync ? ["fsync=on"] : ["fsync=off", "full_page_writes=off"]),
  ];
}

/** Fast shutdown; when that hangs, at once (the next start recovers, nothing committed is lost). */
export async function stop(kill: (signal: NodeJS.Signals) => void, gone: Promise<unknown>): Promise<void> {
  kill("SIGINT");
  const tooLong = new AbortController();
  await Promise.race([
    gone.finally(() => tooLong.abort()),
    sleep(FAST_STOP_LIMIT_MS, undefined, { signal: tooLong.signal }).then(
      () => kill("SIGQUIT"),
      () => {},
    ),
  ]);
  await gone;
}

/** A file rather than a pipe: a pipe that nobody reads while this process is stopped would stop the server too. */
function openLog(file: string): { descriptor: number; start: number } {
  const descriptor = openSync(file, "a", 0o600);
  const { size } = fstatSync(descriptor);
  if (size <= LOG_MAX_BYTES) return { descriptor, start: size };
  closeSync(descriptor);
  return { descriptor: openSync(file, "w", 0o600), start: 0 };
}
