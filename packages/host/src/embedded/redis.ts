import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, realpathSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { withFolderLock } from "./folder-lock.ts";
import { freePort } from "./free-port.ts";
import { ended, findProgram, spawnGuarded, type Outcome } from "./guarded-process.ts";
import { readPrivateJson, writePrivateJson } from "./private-file.ts";
import { processIdentity, signalIfAlive } from "./process-identity.ts";
import { openDataDir, ownerOrServiceUser, privateFolder, type SystemUser } from "./system-user.ts";

const START_LIMIT_MS = 60_000;
const POLL_MS = 5;
const PORT_TRIES = 5;

export type EmbeddedRedis = {
  /** With the password. */
  url: string;
  /** Whether this process started the server; it then ends with this process. */
  owner: boolean;
  pid: number;
  /** Ends the server if this process owns it. */
  stop(): Promise<void>;
  /** Resolves when the server of the owner has ended; null for others. */
  exited: Promise<Outcome> | null;
};

/** `server` and `owner` as `processIdentity` says; the server ends with its owner. */
const metaShape = z.object({ url: z.string(), pid: z.number(), server: z.string(), owner: z.string() });
type Meta = z.infer<typeof metaShape>;

/**
 * Starts a private redis-server or valkey-server from the search path, or attaches to the one another process started on
 * this data folder; null when the machine has neither program. Settings as BullMQ needs them: nothing is ever evicted.
 * `before` is the URL it had: it gets it again if the port is still free, so that its clients find it.
 */
export async function startRedis(
  dataDir: string,
  { before }: { before?: string | undefined } = {},
): Promise<EmbeddedRedis | null> {
  const program = findProgram("redis-server") ?? findProgram("valkey-server");
  if (program === null) return null;
  const user = ownerOrServiceUser(join(resolve(dataDir), "redis"));
  await openDataDir(resolve(dataDir), user);
  const root = realpathSync(dataDir);
  const metaFile = join(root, "redis.json");
  return withFolderLock(join(root, "redis.lock"), START_LIMIT_MS * 2, async () => {
    const other = await attach(metaFile);
    if (other !== null) return other;
    const folder = privateFolder(root, "redis", user);
    const server = await runServer({ program, folder, log: join(root, "redis.log"), user }, before);
    writePrivateJson(metaFile, {
      url: server.url,
      pid: server.pid,
      server: processIdentity(server.pid) ?? "",
      owner: processIdentity(process.pid) ?? "",
    });
    return server;
  });
}

/** The running server of a living owner; one that has lost its owner is sent off, and waited for until it is gone. */
async function attach(metaFile: string): Promise<EmbeddedRedis | null> {
  const meta = readPrivateJson(metaFile, metaShape);
  const deadline = performance.now() + START_LIMIT_MS;
  while (meta !== null && processIdentity(meta.pid) === meta.server) {
    if (!ownerLives(meta)) signalIfAlive(meta.pid, "SIGTERM");
    else if (await answers(meta.url))
      return { url: meta.url, owner: false, pid: meta.pid, stop: async () => {}, exited: null };
    if (performance.now() > deadline)
      throw new Error(`Redis (process ${meta.pid}) is running but does not answer`);
    await sleep(POLL_MS);
  }
  return null;
}

type Place = { program: string; folder: string; log: string; user: SystemUser | null };

function ownerLives({ owner }: Meta): boolean {
  return owner !== "" && processIdentity(Number.parseInt(owner, 10)) === owner;
}

async function runServer(place: Place, before: string | undefined): Promise<EmbeddedRedis> {
  const old = before === undefined ? null : new URL(before);
  const password = old?.password ?? randomBytes(24).toString("base64url");
  for (let tries = 1; ; tries++) {
    const port = tries === 1 && old !== null ? Number(old.port) : await freePort();
    const result = await tryPort(place, port, password);
    if (typeof result !== "string") return result;
    if (tries === PORT_TRIES || !result.includes("Address already in use"))
      throw new Error(`${place.program} did not start: ${result}`);
  }
}

/** The server, or the end of its log. */
async function tryPort(
  { program, folder, log, user }: Place,
  port: number,
  password: string,
): Promise<EmbeddedRedis | string> {
  const output = openSync(log, "w", 0o600);
  // "-" reads settings from stdin: a password among the arguments would be visible to every user of the machine.
  const child = spawnGuarded(program, ["-", ...settings(folder, port)], {
    user,
    deathSignal: "TERM",
    stdio: ["pipe", output, output],
  });
  closeSync(output);
  child.stdin?.on("error", () => {});
  child.stdin?.end(`requirepass ${password}\n`);
  let running = true;
  const exited = ended(child).finally(() => (running = false));
  exited.catch(() => {});

  const url = `redis://:${password}@127.0.0.1:${port}`;
  const deadline = performance.now() + START_LIMIT_MS;
  while (running) {
    if (await answers(url))
      return {
        url,
        owner: true,
        pid: child.pid ?? 0,
        exited,
        stop: () => stop(() => child.kill("SIGTERM"), exited),
      };
    if (performance.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`${program} was not ready within ${START_LIMIT_MS} ms, see ${log}`);
    }
    await Promise.race([sleep(POLL_MS), exited]);
  }
  await exited;
  return readFileSync(log, "utf8").trim().slice(-4000);
}

/** hz 100 makes delayed jobs at most 10 ms late instead of 100 ms. */
function settings(folder: string, port: number): string[] {
  const pairs = {
    "--port": String(port),
    "--bind": "127.0.0.1",
    "--dir": folder,
    "--appendonly": "yes",
    "--appendfsync": "everysec",
    "--save": "",
    "--maxmemory-policy": "noeviction",
    "--hz": "100",
    "--daemonize": "no",
  };
  return Object.entries(pairs).flat();
}

async function stop(kill: () => void, exited: Promise<Outcome>): Promise<void> {
  kill();
  await exited;
}

/** Whether the server lets us in and has loaded its data. */
function answers(url: string): Promise<boolean> {
  const { hostname, port, password } = new URL(url);
  return new Promise((resolve) => {
    let reply = "";
    const socket = connect({ host: hostname, port: Number(port), timeout: 2000 });
    const finish = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on("connect", () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on("data", (chunk: Buffer) => {
      reply += chunk.toString("latin1");
      if (reply.split("\r\n").length > 2) finish(reply === "+OK\r\n+PONG\r\n");
    });
    socket.on("error", () => finish(false));
    socket.on("timeout", () => finish(false));
    socket.on("close", () => finish(false));
  });
}
