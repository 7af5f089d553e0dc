import { describe, expect, test } from "vitest";
import { DEFAULT_TIMEOUT_CAP_MS, parseDuration, parseTimeout } from "./duration.ts";

const CAP = DEFAULT_TIMEOUT_CAP_MS;

describe("timeout", () => {
  test.each([
    ["", 1_800_000],
    [" \t\n", 1_800_000],
    ["2m", 120_000],
    ["1.5m", 90_000],
    ["30", 30_000],
    ["500ms", 500],
    [" 10 S ", 10_000],
    ["10   s", 10_000],
    ["30M", 1_800_000],
    ["30m", 1_800_000],
    ["1800s", 1_800_000],
    ["1H", 3_600_000],
    ["7d", 604_800_000],
    ["0.5ms", 1],
    ["1.4999ms", 1],
    ["0.001", 1],
    ["1.0005", 1001],
    ["0.0000115740741d", 1000],
    ["007s", 7000],
    ["MS".padStart(3, "5"), 5],
  ])("AC-36, L-8: %j is %i ms", (text, ms) => {
    expect(parseTimeout(text, CAP)).toEqual({ ok: true, ms });
  });

  test.each([
    ["0"],
    ["0.4ms"],
    ["0.0d"],
    ["-5s"],
    ["+5s"],
    ["1h 30m"],
    ["1h30m"],
    ["1e3"],
    ["1e3ms"],
    [".5s"],
    ["5."],
    ["5.s"],
    ["1..5s"],
    ["5\ts"],
    ["5 sec"],
    ["5w"],
    ["s"],
    ["1,5s"],
    ["1_000"],
    ["0x10"],
    ["１０s"],
    ["5\u017f"],
    ["Infinity"],
    ["null"],
    ["1".repeat(101)],
  ])("AC-36, L-8: %j is no timeout", (text) => {
    const result = parseTimeout(text, CAP);
    expect(result.ok).toBe(false);
    expect(!result.ok && result.message.length).toBeLessThan(200);
  });

  test("AC-36, L-8: beyond the cap the message names value, cap and variable", () => {
    expect(parseTimeout("8d", CAP)).toEqual({
      ok: false,
      message: '"8d" is 691200000 ms, more than the operator\'s cap of 604800000 ms (AGENTFLOW_MAX_TIMEOUT)',
    });
    expect(parseTimeout("604800001ms", CAP).ok).toBe(false);
    expect(parseTimeout(`${"9".repeat(90)}d`, CAP).ok).toBe(false);
  });

  test("P-11: 30 days are beyond a 32-bit timer and still exact under a higher cap", () => {
    expect(parseTimeout("30d", 100 * 86_400_000)).toEqual({ ok: true, ms: 2_592_000_000 });
  });

  test("L-8: the default never exceeds a lower cap", () => {
    expect(parseTimeout("", 60_000)).toEqual({ ok: true, ms: 60_000 });
  });
});

test("L-8: a blank duration has no default of its own, and another cap is called by its name", () => {
  expect(parseDuration(" ", CAP).ok).toBe(false);
  expect(parseDuration("2h", 3_600_000, "maxDelayMs")).toMatchObject({
    message: expect.stringContaining("maxDelayMs"),
  });
});
