import { expect, test } from "vitest";
import { retryAfterMs } from "./tries.ts";

test("F-27: retry-after is understood in seconds, as a date and in milliseconds; anything else is none", () => {
  const now = Date.UTC(2026, 0, 1, 12, 0, 0);
  for (const [headers, ms] of [
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": " 0 " }, 0],
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after": "Thu, 01 Jan 2026 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Thu, 01 Jan 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "7", "retry-after-ms": "120" }, 120],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "-5" }, null],
    [{}, null],
    [undefined, null],
  ] as const)
    expect(retryAfterMs(headers, now), JSON.stringify(headers)).toBe(ms);
});
