import type pg from "pg";
import { foldCounts } from "../../packages/store/src/transitions/fold-counts.ts";

type Column = { readonly table: string; readonly name: string };

/** Tables whose rows belong to a run, the run's own first, with their columns that can be written. */
async function columnsOfRuns(database: pg.Pool): Promise<Map<string, string[]>> {
  const { rows } = await database.query<Column>(`
    select c.table_name as table, c.column_name as name
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER' and c.is_identity = 'NO'
      and (c.table_name = 'run' or exists (
        select from information_schema.columns k
        where k.table_schema = 'public' and k.table_name = c.table_name and k.column_name = 'run_id'))
      and c.table_name not in ('audit', 'bulk_item')
    order by c.table_name <> 'run', c.table_name, c.ordinal_position`);
  const columns = new Map<string, string[]>();
  for (const { table, name } of rows) columns.set(table, [...(columns.get(table) ?? []), name]);
  return columns;
}

/** `idempotencyKey` in SQL, for the only iteration of run `r` as if it were run `c.id`: a checkpoint with another key is corrupt. */
const KEY = `
  select 'afw_' || left(encode(sha256(convert_to(c.id::text, 'UTF8') || '\\x00'::bytea || convert_to(i.path, 'UTF8') || '\\x00'::bytea
    || convert_to(i.epoch::text, 'UTF8') || '\\x00'::bytea || convert_to(k.fingerprint, 'UTF8') || '\\x00'::bytea
    || convert_to(i.iteration::text, 'UTF8')), 'hex'), 32)
  from iteration i join checkpoint k using (run_id, path) where i.run_id = $2`;

/**
 * Copies a run of one iteration with everything that belongs to it `copies` times, in the real schema: what a hundred thousand
 * runs leave behind that came to the same rest, at times spread over some minutes. Returns the id of one copy.
 */
export async function copyRun(database: pg.Pool, runId: string, copies: number): Promise<string> {
  const { rows } = await database.query<{ key: string }>(
    "select idempotency_key as key from iteration where run_id = $1",
    [runId],
  );
  const [{ key } = { key: "" }] = rows;
  await database.query("create table copy_of (id uuid, n int, key text)");
  await database.query(
    `insert into copy_of select c.id, c.n, (${KEY}) from (select gen_random_uuid() as id, n from generate_series(1, $1::int) n) c`,
    [copies, runId],
  );
  for (const [table, columns] of await columnsOfRuns(database)) {
    const own = table === "run" ? "id" : "run_id";
    const values = columns.map((name) => {
      if (name === own) return "c.id";
      if (name === "idempotency_key" && table === "iteration") return "c.key";
      if (name === "events") return `replace(r.events, '${key}', c.key)`;
      return name === "created_at" ? `r.created_at - c.n * interval '1 ms'` : `r."${name}"`;
    });
    const names = columns.map((name) => `"${name}"`).join(", ");
    await database.query(
      `insert into "${table}" (${names}) select ${values.join(", ")} from "${table}" r, copy_of c where r.${own} = $1`,
      [runId],
    );
  }
  const copy = await database.query<{ id: string }>("select id from copy_of order by n limit 1");
  await database.query("drop table copy_of");
  // What workers and autovacuum would have done by then.
  await foldCounts(database, copies * 3);
  await database.query("vacuum analyze");
  return copy.rows[0]?.id ?? "";
}
