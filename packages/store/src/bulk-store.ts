import type { BulkStore } from "@agentflow/engine";
import { atOneMoment, openDrizzle } from "./connection/drizzle.ts";
import { translating } from "./connection/failures.ts";
import type { Pools } from "./connection/pools.ts";
import { previewBulk, readBulk, readBulkRuns, readBulks } from "./reads/bulk.ts";
import { isId } from "./reads/given.ts";
import { abortBulk, createBulk, noteBulk, takeBulk } from "./transitions/bulk.ts";

/** Bulk actions on real Postgres (3.4). */
export function createBulkStore({ requests: pool }: Pools): BulkStore {
  const db = openDrizzle(pool);
  return {
    preview: (request) => translating(() => atOneMoment(pool, (moment) => previewBulk(moment, request))),
    create: (bulk) => translating(() => createBulk(pool, bulk)),
    list: (page) => translating(() => atOneMoment(pool, (moment) => readBulks(moment, page))),
    get: (id) => translating(() => atOneMoment(pool, (moment) => readBulk(moment, id))),
    runs: (id, page) => translating(() => readBulkRuns(db, id, page)),
    abort: async (id, caller) => (isId(id) ? translating(() => abortBulk(pool, id, caller)) : null),
    take: (lease, leaseMs) => translating(() => takeBulk(pool, lease, leaseMs)),
    note: (step, results) => translating(() => noteBulk(pool, step, results)),
  };
}
