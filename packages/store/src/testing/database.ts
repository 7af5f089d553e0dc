import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import type pg from "pg";
import { MIGRATIONS, migrate, withClient } from "../migrate.ts";

export type TestDatabase = {
  readonly url: string;
  /** Also ends the connections that are still open. */
  drop(): Promise<void>;
};

/** A migrated database of its own for one test file, copied from a template that the first caller makes. */
export async function createDatabase(serverUrl: string): Promise<TestDatabase> {
  const template = await openTemplate(serverUrl);
  const name = `test_${randomBytes(6).toString("hex")}`;
  await onServer(serverUrl, (client) => client.query(`create database ${name} template ${template}`));
  return {
    url: urlOf(serverUrl, name),
    drop: () => onServer(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`)),
  };
}

/** An empty database of its own, without any schema. */
export async function createEmptyDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await onServer(serverUrl, (client) => client.query(`create database ${name} template template0`));
  return {
    url: urlOf(serverUrl, name),
    drop: () => onServer(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`)),
  };
}

/** The template of the present migrations. It gets its name last, so that one half made is never used. */
async function openTemplate(serverUrl: string): Promise<string> {
  const name = `template_${migrationsDigest()}`;
  await onServer(serverUrl, async (client) => {
    await client.query("select pg_advisory_lock(hashtext($1))", [name]);
    const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
    if (rowCount === 1) return;
    const draft = `draft_${randomBytes(6).toString("hex")}`;
    await client.query(`create database ${draft} template template0`);
    await migrate(urlOf(serverUrl, draft));
    await client.query(`alter database ${draft} rename to ${name}`);
  });
  return name;
}

function migrationsDigest(): string {
  const hash = createHash("sha256");
  const files = readdirSync(MIGRATIONS).filter((file) => /^\d.*\.sql$/.test(file));
  for (const file of files.toSorted()) hash.update(readFileSync(`${MIGRATIONS}/${file}`));
  return hash.digest("hex").slice(0, 16);
}

async function onServer(serverUrl: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  await withClient(serverUrl, work);
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
