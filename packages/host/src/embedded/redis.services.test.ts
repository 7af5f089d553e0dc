import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { buildHost, runFixture } from "../../fixtures/run.ts";
import { findProgram } from "./guarded-process.ts";
import { processIdentity } from "./process-identity.ts";
import { startRedis, type EmbeddedRedis } from "./redis.ts";

let folder: string;
let running: (EmbeddedRedis | null)[];

beforeAll(buildHost);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "redis-"));
  chmodSync(folder, 0o755);
  running = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of running) await server?.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

async function start(): Promise<EmbeddedRedis> {
  const server = await startRedis(folder);
  if (server === null) throw new Error("this test needs redis-server");
  running.push(server);
  return server;
}

/** Sends inline commands and returns all replies. */
function ask(url: string, ...commands: string[]): Promise<string> {
  const { port, password } = new URL(url);
  return new Promise((resolve, reject) => {
    let reply = "";
    const socket = connect(Number(port), "127.0.0.1");
    const login = password === "" ? [] : [`AUTH ${password}`];
    socket.on("connect", () => socket.write([...login, ...commands, "QUIT", ""].join("\r\n")));
    socket.on("data", (chunk: Buffer) => (reply += chunk.toString()));
    socket.on("error", reject);
    socket.on("close", () => resolve(reply.replaceAll("\r\n", " ")));
  });
}

test("S-3: without a server program the answer is null, and the queue goes to PostgreSQL", async () => {
  vi.stubEnv("PATH", "/nonexistent");
  expect(await startRedis(folder)).toBeNull();
});

describe.runIf(findProgram("redis-server") ?? findProgram("valkey-server"))("the private Redis", () => {
  test("S-3 S-4: never evicts, writes an append-only file, answers on loopback with the password only", async () => {
    const server = await start();
    for (const [name, value] of Object.entries({
      "maxmemory-policy": "noeviction",
      appendonly: "yes",
      appendfsync: "everysec",
      hz: "100",
      bind: "127.0.0.1",
    }))
      expect(await ask(server.url, `CONFIG GET ${name}`)).toContain(` ${value} `);
    expect(await ask(server.url.replace(/:[^:@]*@/, ""), "PING")).toContain("NOAUTH");
    const commandLine = execFileSync("ps", ["-ww", "-o", "args=", "-p", String(server.pid)], {
      encoding: "utf8",
    });
    expect(commandLine).not.toContain(new URL(server.url).password);
    expect(statSync(join(folder, "redis.json")).mode & 0o777).toBe(0o600);
  });

  test("a second boot has the data of the first", async () => {
    const first = await start();
    await ask(first.url, "SET kept 42");
    await first.stop();
    await expect(first.exited).resolves.toEqual({ code: 0, signal: null });
    expect(await ask((await start()).url, "GET kept")).toContain(" 42 ");
  });

  test("S-27: a server that was killed starts again at the same URL", async () => {
    const first = await start();
    process.kill(first.pid, "SIGKILL");
    await first.exited;
    const again = await startRedis(folder, { before: first.url });
    running.push(again);
    expect(again?.url).toBe(first.url);
    expect(await ask(first.url, "PING")).toContain("PONG");
  });

  test("another process attaches; when the owner is killed with SIGKILL, the server ends and the next boot has the data", async () => {
    const fixture = runFixture("owner.mjs", [folder, "redis"]);
    const [server] = JSON.parse(await fixture.said("}]")) as [EmbeddedRedis];
    expect(await start()).toMatchObject({ url: server.url, pid: server.pid, owner: false });
    await ask(server.url, "SET kept 42");
    fixture.child.kill("SIGKILL");
    await fixture.ended;
    const next = await start();
    expect(next.owner).toBe(true);
    expect(processIdentity(server.pid)).toBeNull();
    expect(await ask(next.url, "GET kept")).toContain(" 42 ");
  });

  test.runIf(process.getuid?.() === 0)("does not run as root", async () => {
    const { pid } = await start();
    expect(readFileSync(`/proc/${pid}/status`, "utf8")).not.toMatch(/^Uid:\s+0\b/m);
  });
});
