import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { MIGRATIONS, migrate, withClient } from "./migrate.ts";
import { createStore } from "./store.ts";
import { createEmptyDatabase, type TestDatabase } from "./testing/database.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await createEmptyDatabase(inject("postgresUrl"));
});
afterEach(() => database.drop());

const journal: { entries: { when: number; tag: string }[] } = JSON.parse(
  readFileSync(`${MIGRATIONS}/meta/_journal.json`, "utf8"),
);
const RUNS = { waiting: randomUUID(), queued: randomUUID(), succeeded: randomUUID() };
const STATE = '{"n":1.0,  "text":"as it was"}';
const PATH = '["loop"]';

/** The tables as the first migration left them, with a run of each kind. */
async function firstRelease(): Promise<void> {
  const [first] = journal.entries;
  await withClient(database.url, async (client) => {
    for (const statement of readFileSync(`${MIGRATIONS}/${first!.tag}.sql`, "utf8").split(
      "--> statement-breakpoint",
    ))
      await client.query(statement);
    await client.query(`
      create schema drizzle;
      create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`);
    await client.query("insert into drizzle.__drizzle_migrations (hash, created_at) values ('first', $1)", [
      first!.when,
    ]);
    const version = randomUUID();
    await client.query("insert into bundle (digest, archive, bytes, files) values ('d', '', 0, 0)");
    await client.query("insert into flow (name) values ('old')");
    await client.query(
      `insert into flow_version (id, flow, version, digest, ir, bundle_digest, warnings) values ($1, 'old', 1, 'v', '{}', 'd', '[]')`,
      [version],
    );
    for (const [status, id] of Object.entries(RUNS)) {
      await client.query(
        `insert into run (id, flow, version, flow_version_id, status, loop, next_iteration, dispatch_after, inputs, tags, request_digest)
         values ($1, 'old', 1, $2, $3, $4, 2, now(), '{}', '{}', 'r')`,
        [id, version, status, PATH],
      );
      await client.query(
        `insert into checkpoint (run_id, path, label, schema, epoch, status, state_digest, fingerprint, next_iteration, elapsed_ms,
                                 max_iterations, timeout_ms, decision, summary, state)
         values ($1, $2, 'loop', 1, 0, 'waiting', 's', 'f', 2, 10, 50, 60000, 'wait', 'approve', $3)`,
        [id, PATH, STATE],
      );
      await client.query(
        `insert into iteration (run_id, path, epoch, iteration, token, attempts, decision, summary, elapsed_ms, idempotency_key)
         values ($1, $2, 0, 1, 1, 1, 'wait', 'approve', 10, 'k')`,
        [id, PATH],
      );
    }
  });
}

test("S-23: the tables of the first release, with parked, live and ended runs in them, become those of this one", async () => {
  await firstRelease();
  await migrate(database.url);
  const store = createStore({ url: database.url, applicationName: "upgrade test", maxConnections: 2 });
  try {
    expect(await store.reads.counts()).toMatchObject({
      waiting: 1,
      queued: 1,
      succeeded: 1,
      running: 0,
      failed: 0,
    });
    for (const [status, id] of Object.entries(RUNS)) {
      expect(await store.reads.run(id)).toMatchObject({ status, flow: "old" });
      expect((await store.work.checkpoint(id, PATH))?.checkpoint).toMatchObject({
        state: STATE,
        nextIteration: 2,
      });
      expect(await store.work.history(id, PATH, 0)).toMatchObject([{ iteration: 1, decision: "wait" }]);
    }
    expect(await store.reads.oldestParked()).not.toBeNull();
    expect((await store.work.sweep(10)).map(({ runId }) => runId)).not.toContain(RUNS.waiting);
  } finally {
    await store.close();
  }
});
