import { resolve } from "node:path";
import { installedPostgres } from "./binaries.ts";
import { clusterAt } from "./postgres-cluster.ts";
import { openDataDir, ownerOrServiceUser } from "./system-user.ts";

/** Why the private PostgreSQL could not run on the data folder, with the way out; null when it can. Creates the folder. */
export async function embeddedProblem(dataDir: string): Promise<string | null> {
  try {
    const { major } = installedPostgres();
    const user = ownerOrServiceUser(clusterAt(resolve(dataDir), major, null).db);
    await openDataDir(resolve(dataDir), user);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
