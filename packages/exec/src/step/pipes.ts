import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, constants, fchownSync, openSync, unlinkSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { StepUser } from "./step-user.ts";

/** A pipe whose writing end is for a child process; `release` closes our copy of that end once the child has its own. */
export type ChildPipe = { readonly readable: Readable; readonly childEnd: number; release(): void };

/**
 * Real pipes for the output of steps. Node gives a child socket pairs, on which `echo … > /dev/stderr` and `tee /dev/stderr` fail
 * (ENXIO); it cannot make a pipe, but it can open a named one. Named pipes are made many at a time, because each making costs a process.
 */
export type PipePool = {
  /** Null where named pipes cannot be made; the caller falls back to what Node offers. Throws when descriptors run out. */
  take(): Promise<ChildPipe | null>;
  close(): Promise<void>;
};

/** Node has no call for it; this program comes with every POSIX system. */
const MAKER = "mkfifo";
const PIPES_PER_REFILL = 64;
const REFILL_BELOW = 16;

function makeFifos(folder: string, names: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(MAKER, ["-m", "600", ...names], { cwd: folder, stdio: "ignore" });
    child.once("error", () => resolve(false)).once("exit", (code) => resolve(code === 0));
  });
}

/** `folder` is made, private, and removed by `close`. Pipes belong to `user`, who may open them again by way of /dev/stderr. */
export async function createPipePool(folder: string, user: StepUser | null = null): Promise<PipePool> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let ready: string[] = [];
  let refill: Promise<boolean> | null = null;
  let closed = false;

  const startRefill = (): Promise<boolean> => {
    refill ??= (async () => {
      const names = Array.from({ length: PIPES_PER_REFILL }, () => randomBytes(8).toString("hex"));
      const made = await makeFifos(folder, names);
      if (made) ready = [...ready, ...names];
      refill = null;
      return made;
    })();
    return refill;
  };

  return {
    async take() {
      if (ready.length === 0 && !(await startRefill())) return null;
      const name = ready.pop();
      if (ready.length < REFILL_BELOW && !closed) void startRefill();
      return name === undefined ? null : openPipe(join(folder, name), user);
    },
    async close() {
      closed = true;
      await refill;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function openPipe(path: string, user: StepUser | null): ChildPipe {
  // Without O_NONBLOCK the reader would wait for a writer; the writer finds a reader and opens at once.
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let childEnd: number;
  try {
    childEnd = openSync(path, constants.O_WRONLY);
    if (user !== null) fchownSync(childEnd, user.uid, user.gid);
    unlinkSync(path);
  } catch (error) {
    closeSync(reading);
    throw error;
  }
  return {
    readable: new Socket({ fd: reading, readable: true, writable: false }),
    childEnd,
    release: () => closeSync(childEnd),
  };
}
