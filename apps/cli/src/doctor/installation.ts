import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import type { WorkerView } from "@agentflow/engine";
import type { Config } from "@agentflow/host";
import { createStore } from "@agentflow/store";
import type { Check } from "./checks.ts";

/** What the database says of the installation around it. */
export type Seen = {
  readonly keys: boolean;
  readonly workers: readonly WorkerView[];
  readonly stuck: number;
  /** Runs that a worker could work on now. */
  readonly live: number;
};

const LEAST_FREE_BYTES = 1_073_741_824;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/** Asks the database; rejects when it does not answer. */
export async function lookAround(databaseUrl: string): Promise<Seen> {
  const store = createStore({ url: databaseUrl, applicationName: "agentflow-doctor", maxConnections: 2 });
  try {
    const [keys, workers, stuck, counts] = await Promise.all([
      store.keys.any(),
      store.fleet.workers(),
      store.reads.stuck(),
      store.reads.counts(),
    ]);
    return { keys, workers, stuck, live: counts.queued + counts.running };
  } finally {
    await store.close();
  }
}

/** Judges what was seen: one check for each thing an installation needs beside its servers. */
export function judgeInstallation(seen: Seen, { host }: Pick<Config<"dev">, "host">): Check[] {
  return [doors(seen, host), fleet(seen), movement(seen)];
}

function doors({ keys }: Seen, host: string): Check {
  if (keys) return { name: "keys", status: "ok", text: "every call needs an API key" };
  if (LOOPBACK.test(host))
    return { name: "keys", status: "ok", text: "no API keys: the API serves this machine only" };
  const text = `AGENTFLOW_HOST is ${host} and there are no API keys, so the API refuses to start; run \`agentflow keys create\``;
  return { name: "keys", status: "fail", text };
}

function fleet({ workers, live }: Seen): Check {
  const alive = workers.filter((worker) => worker.alive && !worker.draining);
  if (alive.length > 0) {
    const versions = [...new Set(alive.map(({ version }) => version))];
    if (versions.length === 1)
      return { name: "workers", status: "ok", text: `${alive.length} at work, ${versions[0]}` };
    const text = `workers of several releases are at work: ${versions.toSorted().join(", ")}; restart the old ones`;
    return { name: "workers", status: "warn", text };
  }
  if (live === 0) return { name: "workers", status: "warn", text: "none is at work; run `agentflow worker`" };
  const text = `none is at work and ${live} runs stand still; run \`agentflow worker\``;
  return { name: "workers", status: "fail", text };
}

function movement({ stuck }: Seen): Check {
  if (stuck === 0) return { name: "runs", status: "ok", text: "none is stuck" };
  const text = `${stuck} are due and nothing has moved them for 30 s; see \`select * from ops.stuck\` and the workers' logs`;
  return { name: "runs", status: "fail", text };
}

/** The folder where workers lay out bundles: one they can write to, with room. `probe` tells of a folder that exists. */
export function checkDataDir(
  dataDir: string,
  probe: (folder: string) => { writable: boolean; freeBytes: number } = probeFolder,
): Check {
  const folder = nearest(dataDir);
  const { writable, freeBytes } = probe(folder);
  if (!writable) {
    const text = `${folder} is not writable for this user: workers cannot lay out flows in ${dataDir}; change its owner, or AGENTFLOW_DATA_DIR`;
    return { name: "data", status: "fail", text };
  }
  if (freeBytes < LEAST_FREE_BYTES) {
    const text = `${Math.floor(freeBytes / 1_048_576)} MiB are free in ${folder}; steps and bundles need room: clear the disk, or move AGENTFLOW_DATA_DIR`;
    return { name: "data", status: "warn", text };
  }
  return { name: "data", status: "ok", text: `${dataDir} can be written` };
}

/** The folder, or the first above it that exists. */
function nearest(folder: string): string {
  return existsSync(folder) || !isAbsolute(folder) || folder === "/" ? folder : nearest(dirname(folder));
}

function probeFolder(folder: string): { writable: boolean; freeBytes: number } {
  const { bavail, bsize } = statfsSync(folder);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return { writable: true, freeBytes: bavail * bsize };
  } catch {
    return { writable: false, freeBytes: bavail * bsize };
  }
}
