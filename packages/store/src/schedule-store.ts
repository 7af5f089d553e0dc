import type { ScheduleStore } from "@agentflow/engine";
import { openDrizzle } from "./connection/drizzle.ts";
import { translating } from "./connection/failures.ts";
import type { Pools } from "./connection/pools.ts";
import { isId } from "./reads/given.ts";
import { readNowMs, readSchedule, readSchedules } from "./reads/schedules.ts";
import {
  createSchedule,
  noteTick,
  removeSchedule,
  replaceSchedule,
  setPaused,
  takeSchedule,
} from "./transitions/schedules.ts";

/** Schedules on real Postgres; on connections that no run waits for. */
export function createScheduleStore({ requests: pool }: Pools): ScheduleStore {
  const db = openDrizzle(pool);
  return {
    nowMs: () => translating(() => readNowMs(db)),
    create: (plan, caller) => translating(() => createSchedule(pool, plan, caller)),
    replace: async (plan, caller) =>
      isId(plan.id) ? translating(() => replaceSchedule(pool, plan, caller)) : false,
    setPaused: async (id, ...given) => (isId(id) ? translating(() => setPaused(pool, id, ...given)) : false),
    remove: async (id, caller) => (isId(id) ? translating(() => removeSchedule(pool, id, caller)) : false),
    get: (id) => translating(() => readSchedule(db, id)),
    list: (page) => translating(() => readSchedules(db, page)),
    take: (lease, leaseMs) => translating(() => takeSchedule(pool, lease, leaseMs)),
    note: (due, note) => translating(() => noteTick(pool, due, note)),
  };
}
