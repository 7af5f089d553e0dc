import type { WorkerView } from "@agentflow/engine";
import { describe, expect, test } from "vitest";
import { checkDataDir, judgeInstallation, type Seen } from "./installation.ts";

const worker: WorkerView = {
  ...{ id: "host:1", version: "0.1.0", queue: "redis", concurrency: 4, draining: false },
  ...{ startedAt: "2026-01-01T00:00:00Z", lastSeenAt: "2026-01-01T00:00:00Z", alive: true, holding: 0 },
};
const sound: Seen = { keys: true, workers: [worker], stuck: 0, live: 3 };
const LOOPBACK = { host: "127.0.0.1" };

test("S-28: a sound installation is told so", () => {
  expect(judgeInstallation(sound, LOOPBACK).map(({ name, status }) => `${name} ${status}`)).toEqual([
    "keys ok",
    "workers ok",
    "runs ok",
  ]);
});

describe("what is wrong is told with what to do", () => {
  test.each<[string, Partial<Seen>, string, string, string]>([
    ["S-19: open without keys", { keys: false }, "0.0.0.0", "keys fail", "agentflow keys create"],
    [
      "no workers, and work",
      { workers: [] },
      "::1",
      "workers fail",
      "3 runs stand still; run `agentflow worker`",
    ],
    ["no workers, nothing to do", { workers: [], live: 0 }, "::1", "workers warn", "run `agentflow worker`"],
    ["dead workers", { workers: [{ ...worker, alive: false }] }, "::1", "workers fail", "none is at work"],
    ["draining ones", { workers: [{ ...worker, draining: true }] }, "::1", "workers fail", "none is at work"],
    [
      "two releases",
      { workers: [worker, { ...worker, version: "0.0.9" }] },
      "::1",
      "workers warn",
      "0.0.9, 0.1.0",
    ],
    ["S-9: stuck runs", { stuck: 2 }, "::1", "runs fail", "ops.stuck"],
  ])("%s", (_, given, host, expected, text) => {
    const checks = judgeInstallation({ ...sound, ...given }, { host });
    const wrong = checks.filter(({ status }) => status !== "ok");
    expect(wrong.map(({ name, status }) => `${name} ${status}`)).toEqual([expected]);
    expect(wrong[0]?.text).toContain(text);
  });
});

test("S-19: without keys loopback addresses are fine", () => {
  for (const host of ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
    expect(judgeInstallation({ ...sound, keys: false }, { host })[0]?.status).toBe("ok");
});

test("a data folder that is not there yet is judged by the one it would be made in", () => {
  const asked: string[] = [];
  const probe = (answer: { writable: boolean; freeBytes: number }) => (folder: string) => {
    asked.push(folder);
    return answer;
  };
  const folder = "/usr/not/there/yet";
  expect(checkDataDir(folder, probe({ writable: true, freeBytes: 1e12 })).status).toBe("ok");
  expect(checkDataDir(folder, probe({ writable: false, freeBytes: 1e12 }))).toMatchObject({
    status: "fail",
    text: expect.stringContaining("/usr is not writable"),
  });
  expect(checkDataDir(folder, probe({ writable: true, freeBytes: 1e8 }))).toMatchObject({
    status: "warn",
    text: expect.stringContaining("95 MiB are free"),
  });
  expect(asked).toEqual(["/usr", "/usr", "/usr"]);
  expect(checkDataDir(process.cwd()).status).not.toBe("fail");
});
