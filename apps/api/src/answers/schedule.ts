import { objectText } from "@agentflow/core";
import { ticksAfter } from "@agentflow/engine";
import type { Page, ScheduleView } from "@agentflow/engine";

/** Ticks that an answer tells ahead. */
const AHEAD = 5;

/** A schedule as JSON text, its inputs byte for byte; `nowMs` is the database's clock. */
export function scheduleText(view: ScheduleView, nowMs: number): string {
  const { inputs, nextAt, ...rest } = view;
  const next = view.paused ? [] : ticksAfter(view, nowMs, AHEAD).map((ms) => new Date(ms).toISOString());
  const fields = Object.entries({ ...rest, nextAt, next }).map(
    ([name, value]) => [name, JSON.stringify(value)] as const,
  );
  return objectText([...fields, ["inputs", inputs]]);
}

/** A page of schedules. */
export function schedulePageText({ items, nextCursor }: Page<ScheduleView>, nowMs: number): string {
  const texts = items.map((view) => scheduleText(view, nowMs));
  return objectText([
    ["items", `[${texts.join(",")}]`],
    ["nextCursor", JSON.stringify(nextCursor)],
  ]);
}
