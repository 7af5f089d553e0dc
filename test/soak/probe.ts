import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/until.ts";

/** What a process says of itself; `heapBytes` after a collection, `loopMs` since the sample before. */
export type ProbeSample = {
  readonly count: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly timers: number;
  readonly handles: number;
  readonly loopMs: { readonly p50: number; readonly p99: number; readonly max: number };
};

/** The environment that makes a process of ours tell what it holds. */
export function probeEnvironment(folder: string): { NODE_OPTIONS: string; PROBE_DIR: string } {
  // A URL: a path with a space would be two options.
  const { href } = new URL("./fixtures/probe.mjs", import.meta.url);
  return { NODE_OPTIONS: `--import=${href}`, PROBE_DIR: folder };
}

function read(folder: string, pid: number): ProbeSample | null {
  try {
    return JSON.parse(readFileSync(join(folder, `${pid}.json`), "utf8")) as ProbeSample;
  } catch {
    return null;
  }
}

/** Asks the process; it answers within milliseconds unless its loop stands still. */
export async function probe(folder: string, pid: number): Promise<ProbeSample> {
  const before = read(folder, pid)?.count ?? 0;
  process.kill(pid, "SIGUSR2");
  return until(`process ${pid} tells what it holds`, () => {
    const sample = read(folder, pid);
    return sample !== null && sample.count > before && sample;
  });
}

/** Open descriptors of a process. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
