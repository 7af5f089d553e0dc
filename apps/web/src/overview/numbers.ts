import type { RunStatusWord, RunSummaryAnswer } from "@agentflow/contract";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const AGES = ["hour", "day", "week", "older"] as const;
export type Age = (typeof AGES)[number];

/** Parked runs by how long they wait. */
export function byAge(
  runs: readonly Pick<RunSummaryAnswer, "updatedAt">[],
  nowMs: number,
): Record<Age, number> {
  const counts = { hour: 0, day: 0, week: 0, older: 0 };
  for (const { updatedAt } of runs) {
    const age = nowMs - Date.parse(updatedAt);
    if (age < HOUR_MS) counts.hour += 1;
    else if (age < DAY_MS) counts.day += 1;
    else if (age < 7 * DAY_MS) counts.week += 1;
    else counts.older += 1;
  }
  return counts;
}

/** Failures by code, most frequent first. */
export function byCode(runs: readonly Pick<RunSummaryAnswer, "failure">[]): [code: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { failure } of runs) {
    if (failure === null) continue;
    counts.set(failure.code, (counts.get(failure.code) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, many], [b, few]) => few - many || (a < b ? -1 : 1));
}

export type Hour = { readonly startMs: number } & Record<RunStatusWord, number>;

/** Runs by the hour they were created in and their status now: the last 24 hours, the running one last. */
export function byHour(
  runs: readonly Pick<RunSummaryAnswer, "createdAt" | "status">[],
  nowMs: number,
): Hour[] {
  const last = Math.floor(nowMs / HOUR_MS);
  const hours = Array.from({ length: 24 }, (_, at) => ({
    startMs: (last - 23 + at) * HOUR_MS,
    ...{ queued: 0, running: 0, waiting: 0, succeeded: 0, failed: 0, cancelled: 0 },
  }));
  for (const { createdAt, status } of runs) {
    const hour = hours[Math.floor(Date.parse(createdAt) / HOUR_MS) - last + 23];
    if (hour !== undefined) hour[status] += 1;
  }
  return hours;
}
