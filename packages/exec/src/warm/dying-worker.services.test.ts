import { mkdtemp, readdir, readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { removeTree } from "../remove-tree.ts";
import { running, uniqueSleep, until } from "../testing/step-rig.ts";
import { compileExec, startWorker, type WorkerProcess } from "../testing/worker-process.ts";

const folders: string[] = [];
let dataDir = "";

beforeAll(compileExec);
beforeEach(async () => {
  dataDir = await realpath(await mkdtemp(join(tmpdir(), "agentflow-warm-worker-")));
  folders.push(dataDir);
});
afterAll(async () => {
  for (const folder of folders) await removeTree(folder);
});

/** A worker whose function spins beside a process that it started; returns it with the pids of both. */
async function spinning(command: string): Promise<{ worker: WorkerProcess; warm: readonly number[] }> {
  const worker = startWorker({ dataDir, command, mode: "function" });
  await until("the function is at work", async () => {
    // The worker has the command in its own command line.
    const others = (await running(command)).filter((pid) => pid !== worker.pid);
    return others.length > 0;
  });
  return { worker, warm: await running(join(dataDir, "bundles")) };
}

describe("a worker that dies by SIGKILL", () => {
  it.each([
    ["in its group", (sleep: string) => sleep],
    ["in a session of its own", (sleep: string) => `setsid ${sleep} & ${sleep}`],
  ])("S-20, D2, AC-59: takes its warm processes with it, and what they started %s", async (_, command) => {
    const sleep = uniqueSleep();
    const { worker, warm } = await spinning(command(sleep));
    expect(warm).toHaveLength(1);
    process.kill(worker.pid, "SIGKILL");
    await until("nobody is left", async () => (await running(sleep)).length === 0);
    await until(
      "the warm process is gone",
      async () => (await running(join(dataDir, "bundles"))).length === 0,
    );
  });

  it("D2: with its guardian gone leaves what the next worker kills before it works, folders included", async () => {
    const sleep = uniqueSleep();
    const { worker } = await spinning(sleep);
    for (const guardian of await running("agentflow-guardian"))
      if ((await parentOf(guardian)) === worker.pid) process.kill(guardian, "SIGKILL");
    process.kill(worker.pid, "SIGKILL");
    await worker.exited;
    expect((await running(sleep)).length).toBeGreaterThan(0);

    const next = startWorker({ dataDir, command: "echo fine" });
    expect(await next.exited).toBe(0);
    await until("the orphans are gone", async () => (await running(sleep)).length === 0);
    expect(await readdir(join(dataDir, "steps"))).toEqual([]);
  });
});

async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  return Number(stat.slice(stat.lastIndexOf(")") + 4).split(" ")[0]);
}
