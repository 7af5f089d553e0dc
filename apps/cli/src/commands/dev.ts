import { say, sayJson } from "../console/out.ts";
import { table } from "../console/text.ts";
import { startDev, type Dev, type DevOptions } from "../dev/start-dev.ts";

/** Serves until it is stopped; with `json` the first line on stdout is the address and the processes (F-30). */
export async function devCommand({ json, ...options }: DevOptions & { json?: true }): Promise<void> {
  const dev = await startDev(options);
  if (json) sayJson({ url: dev.url, pids: dev.pids });
  else say(devText(dev));
}

/** Where everything is, for people. */
export function devText({ url, pids, config, services }: Dev): string {
  const database = services.postgres.isPrivate
    ? `private PostgreSQL in ${config.dataDir}`
    : "PostgreSQL of DATABASE_URL";
  const redis = services.redis?.isPrivate ? `private Redis in ${config.dataDir}` : "Redis of REDIS_URL";
  return [
    `AgentFlow is ready at ${url}`,
    table([
      ["  console", `${url}/`],
      ["  reference", `${url}/docs`],
      ["  database", database],
      ["  queue", config.queue === "redis" ? redis : "in the database"],
      ["  processes", `api ${pids.api}, workers ${pids.workers.join(", ")}`],
    ]),
    "Ctrl-C stops it.",
  ].join("\n");
}
