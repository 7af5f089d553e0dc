import type pg from "pg";
import { drizzle } from "drizzle-orm/node-postgres";
import { withTransaction } from "./transaction.ts";

/** Reads are built with Drizzle; its transactions are not used (reliability C5, C6). */
export type Database = ReturnType<typeof openDrizzle>;

export function openDrizzle(pool: pg.Pool | pg.PoolClient) {
  return drizzle(pool);
}

/** Several reads that see one moment. */
export function atOneMoment<T>(pool: pg.Pool, read: (db: Database) => Promise<T>): Promise<T> {
  return withTransaction(
    pool,
    (client) => read(openDrizzle(client)),
    "begin isolation level repeatable read read only",
  );
}
