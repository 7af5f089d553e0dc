import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { buildHost, runFixture, type Fixture } from "../../fixtures/run.ts";
import { startPostgres, type EmbeddedPostgres } from "./postgres.ts";
import { commandLineOf, isAlive } from "./process-identity.ts";

const isRoot = process.getuid?.() === 0;
const linux = process.platform === "linux";

let folder: string;
let running: EmbeddedPostgres[];
let owners: Fixture[];

beforeAll(buildHost);
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "pg-")), "data with space");
  chmodSync(join(folder, ".."), 0o755);
  running = [];
  owners = [];
});
afterEach(async () => {
  for (const server of running) await server.stop();
  for (const { child, ended } of owners) {
    child.kill("SIGTERM");
    await ended;
  }
  rmSync(join(folder, ".."), { recursive: true, force: true, maxRetries: 10 });
});

async function start(): Promise<EmbeddedPostgres> {
  const server = await startPostgres(folder, { fsync: false });
  running.push(server);
  return server;
}

/** The services of another process. */
async function startElsewhere(): Promise<{
  fixture: Fixture;
  server: { url: string; owner: boolean; pid: number };
}> {
  const fixture = runFixture("owner.mjs", [folder, "postgres"]);
  owners.push(fixture);
  return { fixture, server: JSON.parse(await fixture.said("}]"))[0] };
}

async function query<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query({ text: sql, rowMode: "array" });
  await client.end();
  return rows.flat() as T[];
}

function serversOn(db: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => commandLineOf(pid).includes(`-D ${db} `));
}

const db = (): string => join(folder, "pgdata-18/db");

describe("the embedded PostgreSQL", () => {
  test("S-27: a server that was killed starts again at the same URL with all that was committed", async () => {
    const first = await start();
    await query(first.url, "create table kept as select 42 as n");
    process.kill(first.pid, "SIGKILL");
    await first.exited;
    const again = await startPostgres(folder, { before: first.url });
    running.push(again);
    expect(again.url).toBe(first.url);
    expect(await query(again.url, "select n from kept")).toEqual([42]);
  });

  test("S-3: a first boot is a durable server on loopback with a password, and a second boot has the data", async () => {
    const first = await startPostgres(folder);
    running.push(first);
    expect(first.owner).toBe(true);
    await query(first.url, "create table kept as select 42 as n");
    const settings = [
      "listen_addresses",
      "unix_socket_directories",
      "max_connections",
      "synchronous_commit",
      "fsync",
      "server_encoding",
    ];
    const values = await query(
      first.url,
      `select ${settings.map((name) => `current_setting('${name}')`).join(", ")}`,
    );
    expect(values).toEqual(["127.0.0.1", "", "200", "on", "on", "UTF8"]);
    const wrong = first.url.replace(/:[^:@]*@/, ":wrong@");
    await expect(query(wrong, "select 1")).rejects.toMatchObject({ code: "28P01" });
    expect(new URL(first.url).password).toMatch(/^[\w-]{32}$/);
    expect(statSync(join(folder, "pgdata-18/meta.json")).mode & 0o777).toBe(0o600);

    await first.stop();
    await expect(first.exited).resolves.toEqual({ code: 0, signal: null });
    expect(existsSync(join(db(), "postmaster.pid"))).toBe(false);
    const second = await start();
    expect(second.owner).toBe(true);
    expect(await query(second.url, "select n from kept")).toEqual([42]);
  });

  test("another process attaches to the running server and leaves it running", async () => {
    const { server } = await startElsewhere();
    expect(server.owner).toBe(true);
    const attached = await start();
    expect(attached).toMatchObject({ url: server.url, pid: server.pid, owner: false });
    await attached.stop();
    expect(await query(server.url, "select 1")).toEqual([1]);
  });

  test("three first boots at once make one server", async () => {
    const servers = await Promise.all([startElsewhere(), startElsewhere(), start()]);
    const all = servers.map((each) => ("server" in each ? each.server : each));
    expect(all.filter(({ owner }) => owner)).toHaveLength(1);
    expect(new Set(all.map(({ url }) => url)).size).toBe(1);
    expect(readdirSync(join(folder, "pgdata-18")).toSorted()).toEqual(["db", "meta.json", "postgres.log"]);
  });

  test.runIf(linux)(
    "an owner killed with SIGKILL takes the server along, and the next boot has what was committed",
    async () => {
      const { fixture, server } = await startElsewhere();
      await query(server.url, "create table kept as select 1 as n");
      fixture.child.kill("SIGKILL");
      await fixture.ended;
      const next = await start();
      expect(next.owner).toBe(true);
      expect(next.pid).not.toBe(server.pid);
      expect(await query(next.url, "select n from kept")).toEqual([1]);
      await vi.waitFor(() => expect(serversOn(db())).toEqual([next.pid]));
      await next.stop();
      expect(serversOn(db())).toEqual([]);
    },
  );

  test("a server killed with SIGKILL is noticed by its owner and recovered by the next boot", async () => {
    const first = await start();
    await query(first.url, "create table kept as select 1 as n");
    process.kill(first.pid, "SIGKILL");
    await expect(first.exited).resolves.toEqual({ code: null, signal: "SIGKILL" });
    const next = await start();
    expect(await query(next.url, "select n from kept")).toEqual([1]);
  });

  test("a leftover pid file whose number now belongs to another process of the same user does not stop a boot", async () => {
    const first = await start();
    process.kill(first.pid, "SIGKILL");
    await first.exited;
    const { uid, gid } = statSync(db());
    const bystander: ChildProcess = spawn("sleep", ["60"], isRoot ? { uid, gid } : {});
    const file = join(db(), "postmaster.pid");
    writeFileSync(file, readFileSync(file, "utf8").replace(/^\d+/, String(bystander.pid)));
    const next = await start();
    expect(await query(next.url, "select 1")).toEqual([1]);
    expect(isAlive(bystander.pid ?? 0)).toBe(true);
    bystander.kill();
  });

  test("a first boot that was cut off leaves nothing that is mistaken for a database", async () => {
    const draft = join(folder, "pgdata-18/draft-cut-off");
    mkdirSync(draft, { recursive: true });
    writeFileSync(join(draft, "PG_VERSION"), "18\n");
    const server = await start();
    expect(await query(server.url, "select 1")).toEqual([1]);
    expect(existsSync(draft)).toBe(false);
  });

  test("a server that cannot start says why", async () => {
    await (await start()).stop();
    appendFileSync(join(db(), "postgresql.conf"), "\nno_such_setting = 1\n");
    await expect(startPostgres(folder)).rejects.toThrow("no_such_setting");
  });
});

describe.runIf(isRoot)("as root", () => {
  test("S-3: the server runs as another user, who owns its files and cannot read ours", async () => {
    const { pid } = await start();
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const uid = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]);
    expect(uid).toBeGreaterThan(0);
    expect(/^Groups:\s*$/m.test(status)).toBe(true);
    expect(statSync(db()).uid).toBe(uid);
    expect(statSync(join(folder, "pgdata-18/meta.json")).uid).toBe(0);
  });

  test("S-3: a folder that the database's user cannot reach is refused with the way out", async () => {
    const closed = join(folder, "..", "closed");
    mkdirSync(closed, { mode: 0o700 });
    await expect(startPostgres(join(closed, "a", "b"))).rejects.toThrow(
      new RegExp(
        `who cannot enter ${closed}; .*AGENTFLOW_DATA_DIR.*/var/lib/agentflow.*chmod o\\+x '${closed}'`,
      ),
    );
  });

  test("a folder that root's umask closed is opened, as it is ours", async () => {
    const script = `import { startPostgres } from "./dist/index.js"; await (await startPostgres(process.argv[1])).stop();`;
    const cwd = new URL("../..", import.meta.url);
    const command = `umask 077; exec "$0" --input-type=module -e '${script}' "$1"`;
    const { status, stderr } = spawnSync("sh", ["-c", command, process.execPath, join(folder, "deeper")], {
      cwd,
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("a folder used by one user keeps that user", async () => {
    const first = await start();
    await first.stop();
    spawnSync("chown", ["-R", "nobody", db()]);
    const second = await start();
    expect(await query(second.url, "select 1")).toEqual([1]);
    expect(statSync(`/proc/${second.pid}`).uid).toBe(65_534);
  });
});
