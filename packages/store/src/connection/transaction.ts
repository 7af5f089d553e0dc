import type pg from "pg";

/** What a statement needs: a pool for one statement, a client inside a transaction. */
export type Queryable = Pick<pg.Pool, "query">;

/** A prepared statement: the server plans the text once per connection. */
export type Statement = { readonly name: string; readonly text: string };

/** Runs one prepared statement; rows as objects. */
export async function run<Row>(
  db: Queryable,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const answer = await db.query({ ...statement, values: [...values] });
  return answer.rows;
}

/**
 * Runs `work` in one transaction; commits when it returns, rolls back when it throws. A connection that failed is
 * destroyed, never put back into the pool (reliability C6).
 */
export async function withTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  begin = "begin",
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query("commit");
    client.release();
    return result;
  } catch (error) {
    // Closing the connection rolls back, also when it no longer answers.
    client.release(true);
    throw error;
  }
}
