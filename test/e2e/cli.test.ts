import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import {
  AGENTFLOW,
  agentflow,
  Command,
  processesBelow,
  processOf,
  serve,
  type Serving,
} from "../support/cli.ts";
import { until } from "../support/until.ts";

let base: string;
let serving: Serving[];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "agentflow cli "));
  // The database's user must be able to pass through.
  chmodSync(base, 0o755);
  serving = [];
});
afterEach(async () => {
  for (const { command } of serving) await command.stop();
  rmSync(base, { recursive: true, force: true, maxRetries: 10 });
});

async function start(data: string, ...args: string[]): Promise<Serving> {
  const started = await serve("--data", join(base, data), ...args);
  serving.push(started);
  return started;
}

const workersOf = (pid: number): number[] =>
  processesBelow(pid).filter((child) => processOf(child)?.commandLine.endsWith(" worker "));

/** A loop that parks in its first iteration and takes over what it is resumed with in the second. */
const FLOW = `import { control, display, flow, provide } from "agentflow/flow";
const start = provide.json("Start", { value: { note: "none" } });
const loop = control.while("Ask", { state: start.value, maxIterations: "5", timeout: "1m" }, \`
if [ -n "$AGENTFLOW_WHILE_RESUME" ]; then printf '{"decision":"done","state":%s}' "$AGENTFLOW_WHILE_RESUME"
else printf '{"decision":"wait","summary":"what shall it be? \\\\u001b[31m"}'; fi\`);
const shown = display.code("Shown", { content: loop.state });
export const run = flow("Run", loop, shown);
`;

function writeFlow(): string {
  const folder = join(base, "ask a person");
  mkdirSync(folder);
  writeFileSync(join(folder, "workspace.flow.js"), FLOW);
  return folder;
}

/** Pushes the flow, parks a run, resumes it and sees its end, all by the command line. */
async function askAndAnswer(url: string, flowFolder: string, name: string): Promise<void> {
  const env = { AGENTFLOW_URL: url };
  const pushed = await agentflow(["flow", "push", flowFolder, "--name", name, "--json"], env);
  expect(JSON.parse(pushed.stdout), pushed.stderr).toMatchObject({ flow: name, version: 1, created: true });

  const parked = await agentflow(["run", "start", name, "--wait", "--json", "--tag", "e2e"], env);
  expect(parked.code, parked.stderr).toBe(3);
  const run = JSON.parse(parked.stdout);
  expect(run).toMatchObject({
    status: "waiting",
    tags: ["e2e"],
    loops: [{ decision: "wait", iterations: 1 }],
  });

  const payload = '{"n":1.0,"big":1E2}';
  const resumed = await agentflow(["run", "resume", run.id, "--payload", payload, "--wait", "--json"], env);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ status: "succeeded", outputs: { shown: payload } });
}

const queues = inject("redisUrl") === null ? ["postgres"] : ["postgres", "redis"];

test.each(queues)(
  "F-30 S-2 S-3: `agentflow dev --queue %s` serves, starts a killed worker again, and leaves nothing behind",
  async (queue) => {
    const { command, url, pids } = await start(
      "data folder",
      "--port",
      "0",
      "--queue",
      queue,
      "--workers",
      "2",
    );
    expect(command.stdout.split("\n")).toEqual([JSON.stringify({ url, pids }), ""]);
    expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: "ready", queue: "up" });
    expect(new Set(workersOf(command.pid))).toEqual(new Set(pids.workers));
    expect(pids.workers).toHaveLength(2);
    for (const pid of [pids.api, ...pids.workers]) {
      expect(processOf(pid)).toMatchObject({ parent: command.pid, group: command.pid });
      expect(processOf(pid)?.commandLine).toMatch(/^\S*node .* (api|worker) $/);
    }

    const folder = writeFlow();
    await askAndAnswer(url, folder, "before");
    for (const pid of pids.workers) process.kill(pid, "SIGKILL");
    await until("two new workers", () => {
      const now = workersOf(command.pid);
      return now.length === 2 && now.every((pid) => !pids.workers.includes(pid));
    });
    await askAndAnswer(url, folder, "after");

    const children = processesBelow(command.pid);
    expect(children.length).toBeGreaterThanOrEqual(queue === "redis" ? 5 : 4);
    const { code, stderr } = await command.stop();
    expect(code, stderr).toBe(0);
    expect(children.filter((pid) => processOf(pid) !== null)).toEqual([]);
  },
);

test("F-30: two instances with data folders of their own serve at once; a busy port is the next free one, and said", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  try {
    const both = await Promise.all([
      start("one", "--port", String(port)),
      start("two", "--port", String(port), "--queue", "postgres"),
    ]);
    const ports = both.map(({ url }) => Number(new URL(url).port));
    expect(new Set(ports).size).toBe(2);
    expect(Math.min(...ports)).toBeGreaterThan(port);
    for (const { command } of both) expect(command.stderr).toContain(`port ${port} is busy, taking `);
    const folder = writeFlow();
    await askAndAnswer(both[0]!.url, folder, "same-name");
    await askAndAnswer(both[1]!.url, folder, "same-name");
  } finally {
    other.close();
  }
});

test("S-2 S-27: a killed database is started again; when the command itself is killed, its services end by themselves, and the next start has the data", async () => {
  const first = await start("data", "--port", "0");
  const database = processesBelow(first.command.pid).find((pid) =>
    processOf(pid)?.commandLine.includes("postgres -D"),
  );
  process.kill(database!, "SIGKILL");
  await until("the database is gone", () => processOf(database!) === null);
  await until("the API is ready again", async () => (await fetch(`${first.url}/readyz`)).ok);
  expect(processOf(first.pids.api), "the API outlives an outage").not.toBeNull();
  await askAndAnswer(first.url, writeFlow(), "ask");
  const children = processesBelow(first.command.pid);
  await first.command.stop("SIGKILL");
  await until("all of them are gone", () => children.every((pid) => processOf(pid) === null));

  const second = await start("data", "--port", "0");
  const env = { AGENTFLOW_URL: second.url };
  const list = await agentflow(["run", "list", "--flow", "ask", "--json"], env);
  expect(JSON.parse(list.stdout).items).toMatchObject([{ status: "succeeded" }]);

  const failing = await agentflow(["run", "start", "ask", "--input", "start={"], env);
  expect(failing).toMatchObject({ code: 2, stdout: "" });
  const refused = await agentflow(["run", "start", "nothing"], env);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("(not_found)");

  const key = ["--idempotency-key", "e2e-1"];
  const [started, again] = [
    await agentflow(["run", "start", "ask", ...key], env),
    await agentflow(["run", "start", "ask", ...key], env),
  ];
  expect(again.stdout).toBe(started.stdout);
  const id = started.stdout.trim();
  const watched = await agentflow(["run", "watch", id], env);
  expect(watched.code).toBe(3);
  expect(watched.stdout).toContain("what shall it be?");
  expect(watched.stdout + watched.stderr).not.toContain("\u001b");
  expect((await agentflow(["run", "cancel", id], env)).stdout).toBe(`${id} is cancelled\n`);
  expect(await agentflow(["run", "watch", id], env)).toMatchObject({ code: 1 });
  expect((await agentflow(["run", "resume", id], env)).stderr).toMatch(/cancelled[^]*resume/);
});

test("F-30: --queue redis without REDIS_URL and without a redis-server on the PATH is wrong usage", async () => {
  const args = ["dev", "--queue", "redis", "--data", join(base, "data")];
  const { code, stdout, stderr } = await agentflow(args, { PATH: base });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("--queue postgres");
});

test("S-27: SIGINT while everything starts ends it without a failure", async () => {
  const command = new Command(process.execPath, [
    AGENTFLOW,
    "dev",
    "--port",
    "0",
    "--data",
    join(base, "data"),
  ]);
  await until("a first process", () => processesBelow(command.pid).length > 0);
  expect(await command.stop("SIGINT")).toMatchObject({ code: 0, stdout: "" });
});
