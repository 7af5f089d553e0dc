import { expect, test } from "vitest";
import { durationText, relativeText, shortId, sizeText, spanMs, utcTime } from "./format.ts";

test.each([
  [-5000, "0 ms"],
  [Number.NaN, "0 ms"],
  [0, "0 ms"],
  [999, "999 ms"],
  [1000, "1.0 s"],
  [59_999, "59.9 s"],
  [60_000, "1 min"],
  [3_599_999, "59 min 59 s"],
  [3_600_000, "1 h"],
  [90_000_000, "1 d 1 h"],
])("K-6: %d ms are shown as %s, never negative", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test("K-6: a span whose end lies before its beginning is 0, by whichever clock", () => {
  expect(spanMs("2026-01-01T00:00:10Z", "2026-01-01T00:00:00Z", 0)).toBe(0);
  expect(spanMs("2026-01-01T00:00:10Z", null, Date.parse("2026-01-01T00:00:00Z"))).toBe(0);
  expect(spanMs("2026-01-01T00:00:00Z", "2026-01-01T00:00:01.500Z", 0)).toBe(1500);
  expect(spanMs(null, null, 0)).toBeNull();
});

test("K-6: times read as how long ago, ahead when they are due", () => {
  const now = Date.parse("2026-01-01T12:00:00Z");
  expect(relativeText("2026-01-01T12:00:00.400Z", now)).toBe("just now");
  expect(relativeText("2026-01-01T11:59:18Z", now)).toBe("42 s ago");
  expect(relativeText("2026-01-01T09:00:00Z", now)).toBe("3 h ago");
  expect(relativeText("2025-12-20T12:00:00Z", now)).toBe("12 d ago");
  expect(relativeText("2026-01-01T12:05:00Z", now)).toBe("in 5 min");
});

test("K-6: the hover says UTC", () => {
  expect(utcTime("2026-01-01T12:00:00.250Z")).toBe("2026-01-01 12:00:00.250 (UTC)");
});

test("sizes and ids are short", () => {
  expect([sizeText(1023), sizeText(1024), sizeText(1_048_576)]).toEqual(["1023 B", "1.0 KiB", "1.00 MiB"]);
  expect(shortId("019e4f2c-7c00-7000-8000-000000000001")).toBe("…000000000001");
});
