import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandLineOf } from "./process-identity.ts";

/** No process has this number; PostgreSQL then takes the file for a leftover, but still looks at its shared memory. */
const NO_PID = 2 ** 31 - 1;

/** What a running server says about itself; `port` is null while it is only starting. */
export type Postmaster = { pid: number; port: number | null; ready: boolean };

/** Reads `postmaster.pid` of the database folder: lines 1, 4 and 8 are pid, port and status. */
export function readPostmaster(db: string): Postmaster | null {
  const lines = readLines(db);
  const pid = Number(lines?.[0]);
  if (lines === null || !Number.isInteger(pid) || pid <= 0) return null;
  return { pid, port: Number(lines[3]) || null, ready: lines[7]?.trim() === "ready" };
}

/** The server that runs on the folder, null when there is none, whatever process has the number of a dead one now. */
export function runningPostmaster(db: string): Postmaster | null {
  const postmaster = readPostmaster(db);
  return postmaster !== null && commandLineOf(postmaster.pid).includes(`-D ${db} `) ? postmaster : null;
}

/**
 * Makes what a dead server left behind harmless: PostgreSQL would refuse to start while another process has the number
 * in the file (usual after a reboot), or when a power failure left the file empty. Only call it when none is running.
 */
export function disarmPostmasterFile(db: string): void {
  const lines = readLines(db);
  if (lines === null) return;
  const file = join(db, "postmaster.pid");
  if (readPostmaster(db) === null) rmSync(file);
  else writeFileSync(file, [String(NO_PID), ...lines.slice(1)].join("\n"));
}

function readLines(db: string): string[] | null {
  try {
    return readFileSync(join(db, "postmaster.pid"), "utf8").split("\n");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
