import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres, startRedis } from "@agentflow/host";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A throw-away PostgreSQL server; databases on it come from `@agentflow/store/testing`. */
    postgresUrl: string;
    /** A private Redis; null where no redis-server is installed. */
    redisUrl: string | null;
  }
}

/** One PostgreSQL and, where there is a redis-server, one Redis for the whole run of the services tests. */
export default async function services(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "agentflow-services-"));
  // As root, the servers run as another user, who must be able to pass through.
  await chmod(folder, 0o711);
  const postgres = await startPostgres(folder, { fsync: false });
  const redis = await startRedis(folder);
  project.provide("postgresUrl", postgres.url);
  project.provide("redisUrl", redis?.url ?? null);
  return async () => {
    await redis?.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
