import { Cron } from "croner";
import type { NextTick, SchedulePlan } from "../ports/schedules.ts";
import { CATCH_UP_MAX, MISSED_AFTER_MS } from "../ports/schedules.ts";

type Timing = Pick<SchedulePlan, "cron" | "timeZone">;

/** Why a pattern or time zone cannot be used; null when both can. */
export function cronProblem({ cron, timeZone }: Timing): string | null {
  if (!isTimeZone(timeZone)) return `There is no time zone ${JSON.stringify(timeZone)}.`;
  // The library also knows names such as @daily and two further fields; five fields are all we promise.
  if (cron.trim().split(/\s+/).length !== 5)
    return "A cron pattern has five fields: minute, hour, day of month, month, day of week.";
  try {
    openCron({ cron, timeZone });
    return null;
  } catch (error) {
    return `The cron pattern cannot be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

function openCron({ cron, timeZone }: Timing): Cron {
  return new Cron(cron.trim(), { timezone: timeZone, mode: "5-part", paused: true });
}

/**
 * The ticks after a time, at most `count`; ms since 1970. A pattern with one hour and one minute ticks once a day: a time that a
 * change of the clock leaves out comes right after the gap, one that comes twice counts the first time. Other patterns go by
 * what the wall clock shows, in both of the hours that it shows twice.
 */
export function ticksAfter(timing: Timing, afterMs: number, count: number): number[] {
  return openCron(timing)
    .nextRuns(count, new Date(afterMs))
    .map((date) => date.getTime());
}

/** Later than the tick by up to the jitter: each tick of each schedule by an amount of its own, the same for whoever asks. */
export function dueOf(
  sha256: (text: string) => string,
  id: string,
  tickMs: number,
  jitterMs: number,
): NextTick {
  const drawn = Number.parseInt(sha256(`${id}\n${tickMs}`).slice(0, 8), 16);
  return { nextMs: tickMs, dueMs: tickMs + (drawn % (jitterMs + 1)) };
}

/** Which tick to deal with now, and the one after it: catch-up leaves the ones between out. `missed`: too late to start. */
export type TickChoice = {
  readonly tickMs: number;
  readonly afterMs: number | null;
  readonly missed: boolean;
};

/** Chooses among the ticks that have passed: `firstMs` is the oldest of them. */
export function chooseTick(
  plan: Timing & Pick<SchedulePlan, "catchUp" | "jitterMs">,
  firstMs: number,
  nowMs: number,
): TickChoice {
  const { catchUp, jitterMs } = plan;
  const passed = passedTicks(plan, firstMs, nowMs, catchUp === "all" ? CATCH_UP_MAX : 1);
  const tickMs = passed[0] ?? firstMs;
  const afterMs = passed[1] ?? ticksAfter(plan, tickMs, 1)[0] ?? null;
  return { tickMs, afterMs, missed: catchUp === "none" && nowMs - tickMs > MISSED_AFTER_MS + jitterMs };
}

/** The latest ticks from `firstMs` to `nowMs`, oldest first, at most `keep` of them. */
function passedTicks(plan: Timing, firstMs: number, nowMs: number, keep: number): number[] {
  return openCron(plan)
    .previousRuns(keep, new Date(nowMs + 1))
    .map((date) => date.getTime())
    .filter((ms) => ms >= firstMs)
    .reverse();
}
