import { PRIORITY_MAX_S } from "../../ports/limits.ts";
import type { FlowLimits, LimitWait } from "../../ports/limits.ts";
import type { Caller } from "../../ports/requests.ts";
import type { Wake } from "../../ports/work.ts";
import { isLive, pauses } from "./claims.ts";
import { audit, leased } from "./tables.ts";
import type { RunRow, Tables } from "./tables.ts";

const WAIT_MS = 300_000;

export type LimitWaitRow = {
  readonly level: LimitWait["level"];
  readonly sinceMs: number;
  readonly rankMs: number;
};
type WaitingRun = { readonly run: RunRow; readonly wait: LimitWaitRow };

/** Runs that took a place and still have it: executed, or about to be. */
function holders(tables: Tables, flow: string): RunRow[] {
  return [...tables.limitHolds]
    .flatMap((id) => tables.runs.get(id) ?? [])
    .filter((run) => run.flow === flow && hasPlace(tables, run));
}

function hasPlace(tables: Tables, run: RunRow): boolean {
  const isNext = run.leaseOwner === null && run.dispatchAfterMs > tables.nowMs() && !pauses(tables, run);
  return tables.limitHolds.has(run.id) && run.status === "running" && (leased(tables, run) || isNext);
}

function waiters(tables: Tables, flow: string, level: LimitWait["level"]): WaitingRun[] {
  return [...tables.limitWaits]
    .flatMap(([id, wait]) => {
      const run = tables.runs.get(id);
      return run?.flow === flow && isLive(run) && wait.level === level ? [{ run, wait }] : [];
    })
    .sort((a, b) => a.wait.rankMs - b.wait.rankMs || (a.run.id < b.run.id ? -1 : 1));
}

function rankOf(tables: Tables, run: RunRow): number {
  const laterMs = 1000 * Math.min(run.priority ?? 0, PRIORITY_MAX_S);
  return tables.limitWaits.get(run.id)?.rankMs ?? tables.nowMs() + laterMs;
}

/** The limit that keeps a run from being claimed now. */
function refusedBy(tables: Tables, run: RunRow): LimitWait["level"] | null {
  const limits = tables.limits.get(run.flow);
  if (limits === undefined || hasPlace(tables, run)) return null;
  const rankMs = rankOf(tables, run);
  const before = (level: LimitWait["level"]) =>
    waiters(tables, run.flow, level).filter(
      ({ run: other, wait }) =>
        other.id !== run.id && (wait.rankMs < rankMs || (wait.rankMs === rankMs && other.id < run.id)),
    );
  const held = holders(tables, run.flow);
  const key = run.concurrencyKey;
  const sameKey = (other: RunRow) => key !== null && other.concurrencyKey === key;
  const withKey =
    held.filter(sameKey).length + before("key").filter(({ run: other }) => sameKey(other)).length;
  if (key !== null && withKey >= (limits.maxRunningPerKey ?? Infinity)) return "key";
  return held.length + before("flow").length >= (limits.maxRunning ?? Infinity) ? "flow" : null;
}

/** Whether a limit lets the run be claimed; if not, it waits for it. */
export function admit(tables: Tables, run: RunRow): boolean {
  const level = refusedBy(tables, run);
  if (level === null) {
    tables.limitWaits.delete(run.id);
    tables.limitHolds.add(run.id);
    return true;
  }
  const since = tables.limitWaits.get(run.id)?.sinceMs ?? tables.nowMs();
  tables.limitWaits.set(run.id, { level, sinceMs: since, rankMs: rankOf(tables, run) });
  run.dispatchAfterMs = tables.nowMs() + WAIT_MS;
  tables.limitHolds.delete(run.id);
  return false;
}

/** Runs that wait although there is room for them. */
export function limitedWithRoom(tables: Tables, flow: string | null, limit: number): readonly Wake[] {
  const flows = flow === null ? [...tables.limits.keys()] : [flow];
  const found = flows.flatMap((one) => {
    const { maxRunning, maxRunningPerKey } = tables.limits.get(one) ?? {
      maxRunning: null,
      maxRunningPerKey: null,
    };
    const held = holders(tables, one);
    const first = waiters(tables, one, "flow").slice(0, Math.max(0, (maxRunning ?? Infinity) - held.length));
    const room = new Map<string | null, number>();
    const keyed = waiters(tables, one, "key").filter(({ run: { concurrencyKey: key } }) => {
      const left =
        room.get(key) ??
        (maxRunningPerKey ?? Infinity) - held.filter((run) => run.concurrencyKey === key).length;
      room.set(key, left - 1);
      return left > 0;
    });
    return [...first, ...keyed];
  });
  return found.slice(0, limit).map(({ run: { id: runId, token } }) => ({ runId, token, delayMs: 0 }));
}

/** `WorkStore.wakesBehind`. */
export function wakesBehind(tables: Tables, runId: string): readonly Wake[] {
  const run = tables.runs.get(runId);
  return run === undefined ? [] : limitedWithRoom(tables, run.flow, 100);
}

/** `RequestStore.setFlowLimits`. */
export function setFlowLimits(tables: Tables, flow: string, limits: FlowLimits, caller: Caller): boolean {
  if (!tables.flows.has(flow)) return false;
  const limited = limits.maxRunning !== null || limits.maxRunningPerKey !== null;
  if (limited) tables.limits.set(flow, limits);
  else tables.limits.delete(flow);
  for (const run of limited ? [] : tables.runs.values()) {
    if (run.flow === flow && tables.limitWaits.delete(run.id)) run.dispatchAfterMs = tables.nowMs();
  }
  audit(tables, { runId: null, action: "flow_limits", caller });
  return true;
}

/** What `RunStanding.limit` shows. */
export function limitOf(tables: Tables, run: RunRow): LimitWait | null {
  const wait = tables.limitWaits.get(run.id);
  const limits = tables.limits.get(run.flow);
  if (wait === undefined || limits === undefined || leased(tables, run) || !isLive(run)) return null;
  const all = waiters(tables, run.flow, wait.level).filter(
    ({ run: other }) => wait.level === "flow" || other.concurrencyKey === run.concurrencyKey,
  );
  const max = wait.level === "flow" ? limits.maxRunning : limits.maxRunningPerKey;
  const ahead = all.findIndex(({ run: other }) => other.id === run.id);
  return { level: wait.level, max: max ?? 0, since: new Date(wait.sinceMs).toISOString(), ahead };
}
