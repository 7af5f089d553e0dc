import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withFolderLock } from "./folder-lock.ts";
import { processIdentity } from "./process-identity.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "lock-"))));
afterEach(() => rmSync(folder, { recursive: true }));

test("only one holder at a time, and everyone gets a turn", async () => {
  let holders = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++holders);
    await turn();
    holders--;
  };
  await Promise.all(Array.from({ length: 10 }, () => withFolderLock(join(folder, "a.lock"), 60_000, work)));
  expect(most).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ["died", () => `${spawnSync("true").pid} 1 boot`],
  ["had the number of a process that lives now", () => `${process.pid} 1 an-earlier-boot`],
  ["left something unreadable", () => ""],
])("a lock whose holder %s is taken over, by one of many", async (_, identity) => {
  const file = join(folder, "a.lock");
  writeFileSync(file, `${identity()}\nnonce\n`);
  let holders = 0;
  const work = async (): Promise<number> => {
    const now = ++holders;
    await turn();
    holders--;
    return now;
  };
  expect(await Promise.all([1, 2, 3, 4].map(() => withFolderLock(file, 60_000, work)))).toEqual([1, 1, 1, 1]);
  expect(readdirSync(folder)).toEqual([]);
});

test("a lock that stays held is an error that names its holder", async () => {
  const file = join(folder, "a.lock");
  writeFileSync(file, `${processIdentity(process.pid)}\nnonce\n`);
  await expect(withFolderLock(file, 0, async () => 1)).rejects.toThrow(
    `a.lock is held by process ${process.pid}`,
  );
});

test("the lock is given back when the work fails", async () => {
  const file = join(folder, "a.lock");
  await expect(withFolderLock(file, 0, () => Promise.reject(new Error("work")))).rejects.toThrow("work");
  expect(readdirSync(folder)).toEqual([]);
});
