import { randomBytes, randomUUID } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { PostgresPrograms } from "./binaries.ts";
import { runToEnd } from "./guarded-process.ts";
import { readPrivateJson, writePrivateJson } from "./private-file.ts";
import { privateFolder, type SystemUser } from "./system-user.ts";

const USER = "agentflow";

/** How to log in, and which process (as `processIdentity` says) is the owner that the server ends with. */
const metaShape = z.object({ user: z.string(), password: z.string(), owner: z.string() });
export type ClusterMeta = z.infer<typeof metaShape>;

/** One database cluster: `folder` is ours and holds `meta.json`, the log and `db`, which is the server user's. */
export type Cluster = { folder: string; db: string; log: string; user: SystemUser | null };

/** Names the cluster of one PostgreSQL major version in a data folder; creates nothing. */
export function clusterAt(dataDir: string, major: string, user: SystemUser | null): Cluster {
  const folder = join(dataDir, `pgdata-${major}`);
  return { folder, db: join(folder, "db"), log: join(folder, "postgres.log"), user };
}

export function readMeta({ folder }: Cluster): ClusterMeta | null {
  return readPrivateJson(join(folder, "meta.json"), metaShape);
}

export function writeMeta({ folder }: Cluster, meta: ClusterMeta): void {
  writePrivateJson(join(folder, "meta.json"), meta);
}

/** The login of an existing cluster, or creates the cluster with a random password. Nothing half-made is ever used. */
export async function openCluster(
  cluster: Cluster,
  { initdb }: PostgresPrograms,
  fsync: boolean,
): Promise<ClusterMeta> {
  const { folder, db, user } = cluster;
  if (existsSync(db)) {
    const meta = readMeta(cluster);
    if (meta !== null) return meta;
    throw new Error(
      `${folder}/meta.json with the password of the database is missing or broken; restore it, or choose another AGENTFLOW_DATA_DIR`,
    );
  }
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, user === null ? 0o700 : 0o711);
  for (const name of readdirSync(folder).filter((name) => name.startsWith("draft-")))
    rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 3 });

  const meta = { user: USER, password: randomBytes(24).toString("base64url"), owner: "" };
  const draft = privateFolder(folder, `draft-${randomUUID()}`, user);
  await runInitdb(initdb, draft, meta.password, user, fsync);
  writeMeta(cluster, meta);
  renameSync(draft, db);
  syncFolder(folder);
  return meta;
}

async function runInitdb(
  initdb: string,
  draft: string,
  password: string,
  user: SystemUser | null,
  fsync: boolean,
): Promise<void> {
  const passwordFile = `${draft}.password`;
  writeFileSync(passwordFile, `${password}\n`, { flag: "wx", mode: 0o600 });
  if (user !== null) chownSync(passwordFile, user.uid, user.gid);
  try {
    const login = ["-U", USER, "-A", "scram-sha-256", `--pwfile=${passwordFile}`];
    const args = [
      "-D",
      draft,
      ...login,
      "-E",
      "UTF8",
      "--locale=C",
      "--no-instructions",
      ...(fsync ? [] : ["--no-sync"]),
    ];
    const { code, stderr } = await runToEnd(initdb, args, user);
    if (code !== 0) throw new Error(`cannot create a database in ${draft}: ${stderr.trim()}`);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
