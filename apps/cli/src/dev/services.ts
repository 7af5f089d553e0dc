import { startPostgres, startRedis, type Config, type Logger } from "@agentflow/host";
import { orTell, usageError } from "../exit.ts";
import { keepServer, type Server } from "./keep-server.ts";

/** What api and workers of this machine work with. */
export type Services = {
  readonly postgres: Service;
  /** Null when the queue is in PostgreSQL. */
  readonly redis: Service | null;
};

type Service = {
  url(): string;
  /** Whether it is one of ours, with its data in the data folder. */
  readonly isPrivate: boolean;
  stop(): Promise<void>;
};

type Options = { readonly onMoved: () => void; readonly logger: Logger };

/** Uses the servers that are configured and starts private ones for the rest (S-3, F-30). */
export async function openServices(config: Config<"dev">, options: Options): Promise<Services> {
  const redis = config.queue === "redis" ? await openRedis(config, options) : null;
  return { redis, postgres: await openPostgres(config, options) };
}

async function openPostgres({ databaseUrl, dataDir }: Config<"dev">, options: Options): Promise<Service> {
  if (databaseUrl !== undefined) return configured(databaseUrl);
  const start = (before: string | undefined): Promise<Server> => orTell(startPostgres(dataDir, { before }));
  return { ...(await keepServer({ what: "postgres", start, ...options })), isPrivate: true };
}

async function openRedis({ redisUrl, dataDir }: Config<"dev">, options: Options): Promise<Service> {
  if (redisUrl !== undefined) return configured(redisUrl);
  const start = async (before: string | undefined): Promise<Server> => {
    const server = await orTell(startRedis(dataDir, { before }));
    if (server !== null) return server;
    throw usageError(
      "the queue is to be on Redis, but there is neither REDIS_URL nor a redis-server on the PATH; " +
        "install Redis or use --queue postgres",
    );
  };
  return { ...(await keepServer({ what: "redis", start, ...options })), isPrivate: true };
}

function configured(url: string): Service {
  return { url: () => url, isPrivate: false, stop: async () => {} };
}
