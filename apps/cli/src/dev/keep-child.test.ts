import { spawn } from "node:child_process";
import { createLogger } from "@agentflow/host";
import { expect, test, vi } from "vitest";
import { keepChild, restartDelayMs } from "./keep-child.ts";

const logger = createLogger({ name: "test", level: "silent" });
const READY = `process.send({type:"ready"});setInterval(()=>{},1000);`;

const node = (script: string) => async () =>
  spawn(process.execPath, ["-e", script], { stdio: ["ignore", "ignore", "ignore", "ipc"] });

test("F-30: a process that is killed is started again", async () => {
  const kept = keepChild("worker", node(READY), logger);
  await kept.ready;
  const first = kept.pid();
  process.kill(first, "SIGKILL");
  await vi.waitFor(() => expect([0, first]).not.toContain(kept.pid()), { timeout: 10_000 });
  const second = kept.pid();
  await kept.stop(5000);
  expect(() => process.kill(second, 0)).toThrow("ESRCH");
  expect(kept.pid()).toBe(0);
});

test("F-30: one that never gets ready is given up, with how it ended", async () => {
  const kept = keepChild("api", node("process.exit(3)"), logger);
  await expect(kept.ready).rejects.toThrow("the api does not start (exit code 3)");
});

test("S-27: one that does not heed SIGTERM is killed when its time is up", async () => {
  const kept = keepChild("worker", node(`process.on("SIGTERM",()=>{});${READY}`), logger);
  await kept.ready;
  const pid = kept.pid();
  await kept.stop(50);
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

test("starting again is slower each time, and never slower than 5 s", () => {
  expect([0, 1, 2, 3, 20].map(restartDelayMs)).toEqual([0, 100, 200, 400, 5000]);
});
