import { readFileSync, readdirSync } from "node:fs";
import type pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { checkServer } from "./check-server.ts";
import { DatabaseNewer, MIGRATIONS, awaitSchema, migrate, withClient } from "./migrate.ts";
import { schemaText } from "./schema-text.ts";
import { createEmptyDatabase, type TestDatabase } from "./testing/database.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await createEmptyDatabase(inject("postgresUrl"));
});
afterEach(() => database.drop());

const applied = () =>
  withClient(database.url, async (client) => {
    const { rows } = await client.query("select created_at from drizzle.__drizzle_migrations order by id");
    return rows.map(({ created_at: at }) => Number(at));
  });
const journal: { entries: { when: number; tag: string }[] } = JSON.parse(
  readFileSync(`${MIGRATIONS}/meta/_journal.json`, "utf8"),
);

describe("migrations", () => {
  test("S-23, C2: 20 callers at once migrate once, and again changes nothing", async () => {
    await Promise.all(Array.from({ length: 20 }, () => migrate(database.url)));
    const whens = journal.entries.map(({ when }) => when);
    expect(await applied()).toEqual(whens);
    await migrate(database.url);
    expect(await applied()).toEqual(whens);
  });

  test("S-23: a database of a newer release is refused and left as it is", async () => {
    await migrate(database.url);
    const before = await schemaText(database.url);
    await withClient(database.url, (client) =>
      client.query("insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', $1)", [
        Date.now() + 1e11,
      ]),
    );
    await expect(migrate(database.url)).rejects.toThrow(DatabaseNewer);
    await expect(awaitSchema(database.url, AbortSignal.timeout(60_000))).rejects.toThrow(DatabaseNewer);
    expect(await schemaText(database.url)).toBe(before);
  });

  test("S-23: whoever only waits for the schema goes on once another process has migrated", async () => {
    let arrived = false;
    const waiting = awaitSchema(database.url, AbortSignal.timeout(60_000)).then(() => {
      arrived = true;
    });
    await withClient(inject("postgresUrl"), (client) =>
      seenIn(client, new URL(database.url).pathname.slice(1)),
    );
    expect(arrived).toBe(false);
    await migrate(database.url);
    await waiting;
    expect(arrived).toBe(true);
  });

  test("S-27: the wait for the schema ends when it is aborted", async () => {
    await expect(awaitSchema(database.url, AbortSignal.timeout(50))).rejects.toThrow(/abort/i);
  });

  test("C15: every migration is in the journal, and their time stamps rise, or the migrator would skip one", () => {
    const files = readdirSync(MIGRATIONS).filter((file) => /^\d{4}_.*\.sql$/.test(file));
    expect(files.toSorted()).toEqual(journal.entries.map(({ tag }) => `${tag}.sql`));
    const whens = journal.entries.map(({ when }) => when);
    expect(whens).toEqual([...new Set(whens)].toSorted((a, b) => a - b));
  });

  test("S-29: migrations/schema.sql is what all migrations together make", async () => {
    await migrate(database.url);
    await expect(await schemaText(database.url)).toMatchFileSnapshot(`${MIGRATIONS}/schema.sql`);
  });
});

describe("the server", () => {
  test("S-29, C4: settings that lose committed work are told", async () => {
    const name = new URL(database.url).pathname.slice(1);
    await withClient(inject("postgresUrl"), (client) =>
      client.query(`alter database ${name} set synchronous_commit = off`),
    );
    const problems = await checkServer(database.url);
    // The server of the tests does without the first two.
    expect(problems.map((problem) => problem.split(" ")[0])).toEqual([
      "fsync",
      "full_page_writes",
      "synchronous_commit",
    ]);
  });
});

describe("the clocks", () => {
  const told = async (shiftMs: number) => {
    const problems = await checkServer(database.url, () => Date.now() + shiftMs);
    return problems.filter((problem) => problem.includes("clock"));
  };

  test("S-29, C20: a clock that differs from the database's is told with its side, a few seconds are not", async () => {
    expect(await told(0)).toEqual([]);
    expect(await told(3000)).toEqual([]);
    expect(await told(3_600_000)).toEqual([expect.stringMatching(/3600 s ahead of the database's/)]);
    expect(await told(-3_600_000)).toEqual([expect.stringMatching(/3600 s behind the database's/)]);
  });
});

/** Resolves once a connection to the database was seen. */
async function seenIn(client: pg.Client, name: string): Promise<void> {
  for (;;) {
    const { rows } = await client.query("select 1 from pg_stat_activity where datname = $1", [name]);
    if (rows.length > 0) return;
  }
}
