import { describe, expect, test } from "vitest";
import { sha256 } from "../hash.ts";
import { CATCH_UP_MAX } from "../ports/schedules.ts";
import { chooseTick, cronProblem, dueOf, ticksAfter } from "./ticks.ts";

const at = (text: string): number => Date.parse(text);
const isos = (ticks: readonly number[]): string[] =>
  ticks.map((ms) => new Date(ms).toISOString().slice(0, 16));
const inBerlin = (cron: string, after: string, count: number) =>
  isos(ticksAfter({ cron, timeZone: "Europe/Berlin" }, at(after), count));

describe("ticks", () => {
  test("3.4: a pattern is read in its time zone, and the tick after a tick is the next one", () => {
    expect(inBerlin("0 3 * * *", "2030-01-10T12:00:00Z", 2)).toEqual([
      "2030-01-11T02:00",
      "2030-01-12T02:00",
    ]);
    expect(inBerlin("0 3 * * *", "2030-01-11T02:00:00Z", 1)).toEqual(["2030-01-12T02:00"]);
  });

  test("3.4: a daily time that a change of the clock leaves out ticks right after the gap, once", () => {
    // 2030-03-31: 02:00 becomes 03:00, which is 01:00 UTC.
    expect(inBerlin("30 2 * * *", "2030-03-30T12:00:00Z", 2)).toEqual([
      "2030-03-31T01:00",
      "2030-04-01T00:30",
    ]);
  });

  test("3.4: a daily time that comes twice ticks the first time only", () => {
    // 2030-10-27: 03:00 becomes 02:00, which is 01:00 UTC.
    expect(inBerlin("30 2 * * *", "2030-10-26T12:00:00Z", 2)).toEqual([
      "2030-10-27T00:30",
      "2030-10-28T01:30",
    ]);
  });

  test("3.4: a repeated time ticks through both changes without a hole", () => {
    const quarter = (after: string) =>
      ticksAfter({ cron: "*/15 * * * *", timeZone: "Europe/Berlin" }, at(after), 12);
    for (const after of ["2030-10-26T23:00:00Z", "2030-03-31T00:00:00Z"]) {
      const ticks = quarter(after);
      expect(ticks.map((ms, i) => ms - (ticks[i - 1] ?? at(after)))).toEqual(
        Array.from({ length: 12 }, () => 900_000),
      );
    }
  });

  test("3.4: a time that never comes has no tick", () => {
    expect(ticksAfter({ cron: "0 0 30 2 *", timeZone: "UTC" }, at("2030-01-01T00:00:00Z"), 1)).toEqual([]);
  });

  test("3.4: what is no pattern of five fields or no time zone is told", () => {
    expect(cronProblem({ cron: "*/5 9-17 * * 1-5", timeZone: "Asia/Tokyo" })).toBeNull();
    for (const cron of ["", "@daily", "* * * *", "0 0 * * * *", "61 * * * *", "x * * * *"])
      expect(cronProblem({ cron, timeZone: "UTC" }), cron).toMatch(/cron pattern/);
    expect(cronProblem({ cron: "* * * * *", timeZone: "Mars/Base" })).toBe(
      'There is no time zone "Mars/Base".',
    );
  });

  test("3.4: jitter is drawn per schedule and tick, the same for whoever asks", () => {
    const drawn = Array.from(
      { length: 50 },
      (_, i) => dueOf(sha256, "id", i * 60_000, 1000).dueMs - i * 60_000,
    );
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(1000);
    expect(new Set(drawn).size).toBeGreaterThan(30);
    expect(dueOf(sha256, "id", 60_000, 1000)).toEqual(dueOf(sha256, "id", 60_000, 1000));
    expect(dueOf(sha256, "id", 60_000, 0)).toEqual({ nextMs: 60_000, dueMs: 60_000 });
  });
});

describe("catching up", () => {
  const plan = { cron: "0 * * * *", timeZone: "UTC", jitterMs: 0 };
  const first = at("2030-01-01T00:00:00Z");
  const choose = (catchUp: "none" | "one" | "all", now: string) => {
    const { tickMs, afterMs, missed } = chooseTick({ ...plan, catchUp }, first, at(now));
    return [...isos([tickMs, afterMs!]).map((text) => text.slice(11)), missed];
  };

  test("3.4: a tick dealt with in time is itself, under every policy", () => {
    for (const catchUp of ["none", "one", "all"] as const)
      for (const now of ["2030-01-01T00:00:00.000Z", "2030-01-01T00:00:00.400Z", "2030-01-01T00:00:59Z"])
        expect(choose(catchUp, now), now).toEqual(["00:00", "01:00", false]);
  });

  test("3.4: of missed ticks `none` takes none, `one` the latest, `all` each in its order", () => {
    expect(choose("none", "2030-01-01T05:30:00Z")).toEqual(["05:00", "06:00", true]);
    expect(choose("none", "2030-01-01T05:00:30Z")).toEqual(["05:00", "06:00", false]);
    expect(choose("one", "2030-01-01T05:30:00Z")).toEqual(["05:00", "06:00", false]);
    expect(choose("all", "2030-01-01T05:30:00Z")).toEqual(["00:00", "01:00", false]);
  });

  test("3.4: `all` makes up for the latest hundred", () => {
    const nowMs = first + 300 * 3_600_000;
    const { tickMs } = chooseTick({ ...plan, catchUp: "all" }, first, nowMs);
    expect(tickMs).toBe(nowMs - (CATCH_UP_MAX - 1) * 3_600_000);
  });
});
