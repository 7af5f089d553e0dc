import { createLogger, isStop, type Config } from "@agentflow/host";
import { migrateQueue } from "@agentflow/queue";
import { migrate } from "@agentflow/store";
import { VERSION } from "../version.ts";
import { readConfigOrFail } from "../configuration.ts";
import { say, sayJson } from "../console/out.ts";
import { CommandError, orTell, usageError } from "../exit.ts";

const NOTICE_MS = 3000;

/** Serves the HTTP API until it is told to stop (S-1). */
export async function apiCommand(): Promise<void> {
  const config = readConfigOrFail("api");
  const { ListenRefused, runApi } = await import("@agentflow/api");
  await runService("api", config, async (supervised) => {
    await runApi(config, { supervised }).catch((error: unknown) => {
      throw error instanceof ListenRefused ? usageError(error.message) : error;
    });
  });
}

/** Executes runs until it is told to stop (S-1). */
export async function workerCommand(): Promise<void> {
  const config = readConfigOrFail("worker");
  const { runWorker } = await import("@agentflow/worker");
  await runService("worker", config, (supervised) => runWorker(config, { supervised, version: VERSION }));
}

/** A service that cannot start says why in its log and ends with 1; wrong configuration is for a person, and ends with 2. */
async function runService(
  name: "api" | "worker",
  config: Config<"api"> | Config<"worker">,
  run: (supervised: boolean) => Promise<void>,
): Promise<void> {
  const secrets = [config.databaseUrl, config.redisUrl];
  const logger = createLogger({ name, level: config.logLevel, secrets });
  const notice = setTimeout(
    () => logger.warn("not ready yet: waiting for the database, or for `agentflow migrate`"),
    NOTICE_MS,
  ).unref();
  try {
    await run(process.send !== undefined);
  } catch (err) {
    if (isStop(err)) return;
    if (err instanceof CommandError) throw err;
    logger.fatal({ err }, "cannot start");
    process.exit(1);
  } finally {
    clearTimeout(notice);
  }
}

/** Brings the database, and the queue in it, to the schema of this release (S-23). */
export async function migrateCommand({ json }: { json?: true }): Promise<void> {
  const config = readConfigOrFail("api");
  await migrateAll(config.databaseUrl, config.queue);
  if (json) sayJson({ migrated: true });
  else say("the database is up to date");
}

/** Ours first: it refuses a newer database before anything is changed. */
export async function migrateAll(databaseUrl: string, queue: "postgres" | "redis"): Promise<void> {
  await orTell(migrate(databaseUrl));
  if (queue === "postgres") await orTell(migrateQueue(databaseUrl));
}
