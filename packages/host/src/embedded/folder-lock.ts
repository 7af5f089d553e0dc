import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { processIdentity } from "./process-identity.ts";

const RETRY_MS = 50;
/** A takeover takes microseconds; a guard older than this was left by a process that died in it. */
const GUARD_MAX_AGE_MS = 10_000;

type Held = { file: string; content: string };

/**
 * Runs `work` while holding the lock `file`, which only one process of this machine has at a time; waits for it at most
 * `waitMs`. A lock whose holder died, before a reboot too, is taken over.
 */
export async function withFolderLock<T>(file: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  const held = await acquire(file, waitMs);
  try {
    return await work();
  } finally {
    if (readOrNull(file) === held.content) rmSync(file, { force: true });
  }
}

async function acquire(file: string, waitMs: number): Promise<Held> {
  const content = `${processIdentity(process.pid) ?? process.pid}\n${randomUUID()}\n`;
  const deadline = performance.now() + waitMs;
  for (;;) {
    if (createWhole(file, content)) return { file, content };
    const other = readOrNull(file);
    if (other === null || (isAbandoned(other) && takeAway(file, other))) continue;
    if (performance.now() > deadline)
      throw new Error(`${file} is held by process ${Number.parseInt(other, 10)}`);
    await sleep(RETRY_MS);
  }
}

/** Creates the file with its whole content or not at all: a lock that is seen is never empty, as link(2) is atomic. */
function createWhole(file: string, content: string): boolean {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, content, { flag: "wx", mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function isAbandoned(content: string): boolean {
  const identity = content.split("\n")[0] ?? "";
  return processIdentity(Number.parseInt(identity, 10)) !== identity;
}

/** Removes the lock if it is still the one seen; the guard keeps a second waiter from removing the next holder's. */
function takeAway(file: string, seen: string): boolean {
  const guard = `${file}.takeover`;
  if (!createWhole(guard, seen)) {
    const since = statSync(guard, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > GUARD_MAX_AGE_MS) rmSync(guard, { force: true });
    return false;
  }
  try {
    if (readOrNull(file) === seen) rmSync(file, { force: true });
    return true;
  } finally {
    rmSync(guard, { force: true });
  }
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
