import type { Caller } from "../../ports/requests.ts";
import type {
  DueSchedule,
  NextTick,
  ScheduleStore,
  ScheduleView,
  StoredPlan,
  TickNote,
} from "../../ports/schedules.ts";
import { StoreUnavailable } from "../../ports/store-errors.ts";
import { comparePositions, keysetPage } from "./pages.ts";
import { audit } from "./tables.ts";
import type { AuditRow, Tables } from "./tables.ts";

export type ScheduleRow = {
  plan: StoredPlan;
  readonly actor: string;
  readonly createdMs: number;
  updatedMs: number;
  lease: string | null;
  leaseUntilMs: number;
  last: TickNote["outcome"];
  lastRunId: string | null;
};

const iso = (ms: number): string => new Date(ms).toISOString();

function viewOf({ plan, actor, createdMs, updatedMs, last, lastRunId }: ScheduleRow): ScheduleView {
  const { next, ...rest } = plan;
  return {
    ...rest,
    nextAt: next === null ? null : iso(next.nextMs),
    lastTick: last === null ? null : iso(last.tickMs),
    lastOutcome: last?.kind ?? null,
    lastMessage: last?.message ?? null,
    ...{ lastRunId, actor, createdAt: iso(createdMs), updatedAt: iso(updatedMs) },
  };
}

/** A change by somebody: whoever works at the schedule loses its lease. */
function change(
  tables: Tables,
  id: string,
  given: { readonly action: AuditRow["action"]; readonly caller: Caller },
  to: (plan: StoredPlan) => StoredPlan,
): boolean {
  const row = tables.schedules.get(id);
  if (row === undefined) return false;
  Object.assign(row, { plan: to(row.plan), lease: null, leaseUntilMs: 0, updatedMs: tables.nowMs() });
  audit(tables, { runId: null, ...given });
  return true;
}

function take(tables: Tables, lease: string, leaseMs: number): DueSchedule | null {
  const nowMs = tables.nowMs();
  const dueMs = ({ plan }: ScheduleRow): number => plan.next?.dueMs ?? Infinity;
  const row = [...tables.schedules.values()]
    .filter((one) => dueMs(one) <= nowMs && one.leaseUntilMs <= nowMs)
    .sort((a, b) => dueMs(a) - dueMs(b))[0];
  if (row === undefined || row.plan.next === null) return null;
  Object.assign(row, { lease, leaseUntilMs: nowMs + leaseMs });
  const run = row.lastRunId === null ? undefined : tables.runs.get(row.lastRunId);
  const lastRunLives = run !== undefined && run.finishedMs === null;
  return { ...row.plan, next: row.plan.next, lease, lastRunLives, nowMs };
}

function note(tables: Tables, ...[due, given]: Parameters<ScheduleStore["note"]>): boolean {
  const row = tables.schedules.get(due.id);
  if (row?.lease !== due.lease) return false;
  Object.assign(row, { plan: { ...row.plan, next: given.next }, lease: null, leaseUntilMs: 0 });
  if (given.outcome === null) return true;
  row.last = given.outcome;
  row.lastRunId = given.outcome.runId ?? row.lastRunId;
  return true;
}

/** `ScheduleStore` over the tables. */
export function memorySchedules(tables: Tables): ScheduleStore {
  const there = <T>(answer: () => T): Promise<T> =>
    tables.away
      ? Promise.reject(new StoreUnavailable("the memory store is away"))
      : Promise.resolve(answer());
  return {
    nowMs: () => there(() => tables.nowMs()),
    create: (plan, caller) =>
      there(() => {
        const at = { createdMs: tables.nowMs(), updatedMs: tables.nowMs() };
        const nothing = { lease: null, leaseUntilMs: 0, last: null, lastRunId: null };
        tables.schedules.set(plan.id, { plan, actor: caller.actor, ...at, ...nothing });
        audit(tables, { runId: null, action: "schedule_create", caller });
      }),
    replace: (plan, caller) =>
      there(() => change(tables, plan.id, { action: "schedule_update", caller }, () => plan)),
    setPaused: (id: string, paused: boolean, next: NextTick | null, caller: Caller) =>
      there(() => {
        const action = paused ? "schedule_pause" : "schedule_resume";
        return change(tables, id, { action, caller }, (plan) => ({ ...plan, paused, next }));
      }),
    remove: (id, caller) =>
      there(() => {
        const there = tables.schedules.delete(id);
        if (there) audit(tables, { runId: null, action: "schedule_delete", caller });
        return there;
      }),
    get: (id) => there(() => (tables.schedules.has(id) ? viewOf(tables.schedules.get(id)!) : null)),
    list: (page) =>
      there(() => {
        const positionOf = ({ createdMs, plan }: ScheduleRow) => [createdMs, plan.id];
        const before = (a: readonly (string | number)[], b: readonly (string | number)[]) =>
          comparePositions(a, b) > 0;
        const rows = [...tables.schedules.values()].sort((a, b) =>
          comparePositions(positionOf(b), positionOf(a)),
        );
        return keysetPage(rows, page, { positionOf, before }, viewOf);
      }),
    take: (lease, leaseMs) => there(() => take(tables, lease, leaseMs)),
    note: (due, given) => there(() => note(tables, due, given)),
  };
}
