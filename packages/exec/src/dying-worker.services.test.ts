import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { removeTree } from "./remove-tree.ts";
import { running, uniqueSleep, until } from "./testing/step-rig.ts";
import { compileExec, startWorker, type WorkerProcess } from "./testing/worker-process.ts";

const folders: string[] = [];
let dataDir = "";

beforeAll(compileExec);
beforeEach(async () => {
  dataDir = await realpath(await mkdtemp(join(tmpdir(), "agentflow-worker-")));
  folders.push(dataDir);
});
afterAll(async () => {
  for (const folder of folders) await removeTree(folder);
});

/** Starts a worker and waits until its command has made the file `ready`. */
async function workerAtWork(command: string): Promise<WorkerProcess> {
  const worker = startWorker({ dataDir, command });
  await until("the command is at work", () => {
    if (worker.child.exitCode !== null) throw new Error("The worker ended before its command was at work.");
    return existsSync(join(worker.said.cwd ?? "/nowhere", "ready"));
  });
  return worker;
}

/** Pid of the guardian of a worker, told from others by its parent. */
async function guardianOf(worker: number): Promise<number> {
  for (const pid of await running("agentflow-guardian")) {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
    if (Number(stat.slice(stat.lastIndexOf(")") + 4).split(" ")[0]) === worker) return pid;
  }
  throw new Error("The worker has no guardian.");
}

const gone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

describe("a worker that dies", () => {
  it.each([
    [
      "a child and its children",
      (sleep: string) => `sh -c '${sleep} & ${sleep}; true' & touch ready; ${sleep}`,
    ],
    [
      "children that ignore SIGTERM and SIGHUP",
      (sleep: string) => `trap '' TERM HUP; ${sleep} & touch ready; ${sleep}; true`,
    ],
    [
      "a grandchild in a session of its own",
      (sleep: string) => `setsid sh -c '${sleep}; true' & touch ready; ${sleep}`,
    ],
    ["a child with an empty environment", (sleep: string) => `env -i ${sleep} & touch ready; ${sleep}`],
  ])("S-20, D2, AC-59: by SIGKILL takes its step with it: %s", async (_case, command) => {
    const sleep = uniqueSleep();
    const worker = await workerAtWork(command(sleep));
    const guardian = await guardianOf(worker.pid);
    expect((await running(sleep)).length).toBeGreaterThan(1);
    process.kill(worker.pid, "SIGKILL");
    await until("nobody is left", async () => (await running(sleep)).length === 0);
    await until("the guardian has gone as well", () => gone(guardian));
  });

  it("S-20: by a SIGKILL to its whole group still takes its step with it, because the guardian has a session of its own", async () => {
    const sleep = uniqueSleep();
    const worker = await workerAtWork(`touch ready; ${sleep}`);
    process.kill(-worker.pid, "SIGKILL");
    await until("nobody is left", async () => (await running(sleep)).length === 0);
  });

  it("D2: together with its guardian leaves orphans, which the next worker kills before it works, folders included", async () => {
    const sleep = uniqueSleep();
    const worker = await workerAtWork(`${sleep} & touch ready; ${sleep}`);
    process.kill(await guardianOf(worker.pid), "SIGKILL");
    process.kill(worker.pid, "SIGKILL");
    await worker.exited;
    const orphans = await running(sleep);
    expect(orphans.length).toBeGreaterThan(0);
    expect(await readdir(join(dataDir, "steps"))).not.toEqual([]);

    const next = startWorker({ dataDir, command: "echo fine" });
    expect(await next.exited).toBe(0);
    expect(next.said.reaped).toEqual(expect.arrayContaining(orphans));
    await until("the orphans are gone", async () => (await running(sleep)).length === 0);
    expect(await readdir(join(dataDir, "steps"))).toEqual([]);
  });

  it("S-20: a second worker leaves the steps of a living one alone", async () => {
    const sleep = uniqueSleep();
    const worker = await workerAtWork(`touch ready; ${sleep}`);
    const before = await running(sleep);
    const second = startWorker({ dataDir, command: "echo fine" });
    expect(await second.exited).toBe(0);
    expect(second.said.reaped).toEqual([]);
    expect(await running(sleep)).toEqual(before);
    expect(existsSync(worker.said.cwd ?? "")).toBe(true);
    process.kill(worker.pid, "SIGKILL");
    await until("nobody is left", async () => (await running(sleep)).length === 0);
  });
});

describe("the resources of a worker", () => {
  it("S-20: descriptors that the worker itself inherited do not reach its steps", async () => {
    const command = "ls -l /proc/self/fd | sed 1d | awk '{print $9, $11}'";
    const worker = startWorker({
      dataDir,
      command,
      prelude: 'exec 9</etc/hostname 40</etc/hostname; exec "$@"',
    });
    expect(await worker.exited).toBe(0);
    const lines = (worker.said.outcome?.stdout ?? "").trimEnd().split("\n");
    expect(lines.map((line) => line.split(" ")[0])).toEqual(["0", "1", "2", "3"]);
    expect(lines[0]).toBe("0 /dev/null");
  });

  it("L-51: no descriptors left for another process is infrastructure trouble, and the worker lives on", async () => {
    const worker = startWorker({
      dataDir,
      command: "echo no",
      mode: "exhaust-descriptors",
      prelude: 'ulimit -n 256; exec "$@"',
    });
    expect(await worker.exited).toBe(0);
    expect(worker.said).toMatchObject({
      exhausted: true,
      outcome: { kind: "spawn_failed", cause: "no_resources" },
    });
  });
});
