import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const RETRY_MS = 200;
/** Far more than taking over a lock takes; an older guard was left by a process that died in it. */
const GUARD_MAX_AGE_MS = 10_000;

/**
 * Runs `work` while this process is the only one with the lock `file`; a lock whose holder died is taken over.
 * `onWait` is called once when another process has it. The same protocol as the host package's, which may not be built yet.
 */
export async function withLock(file, onWait, work) {
  const mine = `${identity(process.pid)}\n${randomUUID()}\n`;
  for (let waited = false; !createWhole(file, mine);) {
    const other = readOrNull(file);
    if (other === null || (isAbandoned(other) && takeAway(file, other))) continue;
    if (!waited) onWait(Number.parseInt(other, 10));
    waited = true;
    await sleep(RETRY_MS);
  }
  try {
    return await work();
  } finally {
    if (readOrNull(file) === mine) rmSync(file, { force: true });
  }
}

/** link(2) makes the file appear with its whole content, or fails because there is one. */
function createWhole(file, content) {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, content, { flag: "wx" });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The guard keeps a second waiter from removing the lock of the next holder. */
function takeAway(file, seen) {
  const guard = `${file}.takeover`;
  if (!createWhole(guard, seen)) {
    const since = statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - since > GUARD_MAX_AGE_MS) rmSync(guard, { force: true });
    return false;
  }
  if (readOrNull(file) === seen) rmSync(file, { force: true });
  rmSync(guard, { force: true });
  return true;
}

function isAbandoned(content) {
  const [holder] = content.split("\n");
  return identity(Number.parseInt(holder, 10)) !== holder;
}

/** On Linux with the start time, which tells a later process with the same number apart. */
function identity(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== "EPERM") return null;
  }
  if (process.platform !== "linux") return String(pid);
  const stat = readOrNull(`/proc/${pid}/stat`) ?? "";
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (stat === "" || fields[0] === "Z") return null;
  return `${pid} ${fields[19]} ${readOrNull("/proc/sys/kernel/random/boot_id")?.trim()}`;
}

function readOrNull(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    // A process that ends while its files in /proc are read answers ESRCH.
    if (error.code === "ENOENT" || error.code === "ESRCH") return null;
    throw error;
  }
}
