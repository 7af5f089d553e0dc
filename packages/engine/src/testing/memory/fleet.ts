import { WORKER_SILENT_MS } from "../../ports/fleet.ts";
import type { FleetStore, WorkerSign } from "../../ports/fleet.ts";
import { StoreUnavailable } from "../../ports/store-errors.ts";
import { forgetRun } from "./removals.ts";
import { leased } from "./tables.ts";
import type { Tables } from "./tables.ts";

export type WorkerRow = WorkerSign & { readonly startedMs: number; readonly beatMs: number };

/** Whether a worker was heard of lately. */
export function isAlive(tables: Tables, worker: WorkerRow): boolean {
  return worker.beatMs > tables.nowMs() - WORKER_SILENT_MS;
}

/** `FleetStore` over the tables; sizes are made up of row counts. */
export function memoryFleet(tables: Tables): FleetStore {
  const there = <T>(answer: () => T): Promise<T> =>
    tables.away
      ? Promise.reject(new StoreUnavailable("the memory store is away"))
      : Promise.resolve(answer());
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    signIn: (worker) =>
      there(() => {
        const startedMs = tables.workers.get(worker.id)?.startedMs ?? tables.nowMs();
        tables.workers.set(worker.id, { ...worker, startedMs, beatMs: tables.nowMs() });
      }),
    signOff: (id) => there(() => void tables.workers.delete(id)),
    workers: () =>
      there(() =>
        [...tables.workers.values()].map(({ startedMs, beatMs, ...worker }) => ({
          ...worker,
          startedAt: iso(startedMs),
          lastSeenAt: iso(beatMs),
          alive: isAlive(tables, { ...worker, startedMs, beatMs }),
          holding: [...tables.runs.values()].filter(
            (run) => run.leaseOwner === worker.id && leased(tables, run),
          ).length,
        })),
      ),
    removeEnded: (olderThanMs, limit) =>
      there(() => {
        const gone = [...tables.runs.values()]
          .filter(({ finishedMs }) => finishedMs !== null && finishedMs < tables.nowMs() - olderThanMs)
          .toSorted((a, b) => (a.finishedMs ?? 0) - (b.finishedMs ?? 0))
          .slice(0, limit);
        for (const { id } of gone) forgetRun(tables, id);
        return gone.length;
      }),
    size: () =>
      there(() => ({
        databaseBytes: 0,
        tables: [{ table: "run", bytes: 0, rows: tables.runs.size, deadRows: 0 }],
      })),
  };
}
