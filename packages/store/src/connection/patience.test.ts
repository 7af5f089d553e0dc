import { StoreUnavailable, ValueRefused } from "@agentflow/engine";
import { describe, expect, test } from "vitest";
import { isOutage } from "./failures.ts";
import { patiently } from "./patience.ts";

const coded = (code: string) => Object.assign(new Error(code), { code });
const forever = { limitMs: 60_000, signal: new AbortController().signal };

describe("sitting an outage out", () => {
  test("L-51: work is repeated until it succeeds, and told that it may have been stored", async () => {
    const told: boolean[] = [];
    const answer = await patiently(forever, async (mayBeStored) => {
      told.push(mayBeStored);
      if (told.length < 3) throw coded("57P01");
      return "done";
    });
    expect(answer).toBe("done");
    expect(told).toEqual([false, true, true]);
  });

  test("L-51: it ends as StoreUnavailable when its time is up", async () => {
    const work = patiently({ ...forever, limitMs: 0 }, () => Promise.reject(coded("ECONNREFUSED")));
    await expect(work).rejects.toThrow(StoreUnavailable);
  });

  test("S-27: it ends at once when the signal is aborted", async () => {
    const closing = new AbortController();
    const work = patiently({ limitMs: 60_000, signal: closing.signal }, async () => {
      closing.abort();
      throw coded("ECONNREFUSED");
    });
    await expect(work).rejects.toThrow(StoreUnavailable);
  });

  test("C13: a refused value is not repeated", async () => {
    let tries = 0;
    const work = patiently(forever, () => {
      tries += 1;
      return Promise.reject(coded("22P05"));
    });
    await expect(work).rejects.toThrow(ValueRefused);
    expect(tries).toBe(1);
  });

  test("other errors come through as they are", async () => {
    const broken = coded("42703");
    await expect(patiently(forever, () => Promise.reject(broken))).rejects.toBe(broken);
  });
});

describe("what an outage is", () => {
  test.each([
    "ECONNREFUSED",
    "ECONNRESET",
    "57P01",
    "57P03",
    "08006",
    "53300",
    "57014",
    "40P01",
    "40001",
    "55P03",
  ])("%s is one", (code) => expect(isOutage(coded(code))).toBe(true));

  test.each(["22021", "23505", "42601", "42P01", "28P01", "3D000", "23001"])("%s is none", (code) =>
    expect(isOutage(coded(code))).toBe(false),
  );

  test.each([
    "Connection terminated unexpectedly",
    "Connection terminated due to connection timeout",
    "timeout exceeded when trying to connect",
    "Query read timeout",
  ])("the driver's %j is one", (message) => expect(isOutage(new Error(message))).toBe(true));

  test("a connection refused at every address is one", () => {
    expect(isOutage(new AggregateError([coded("ECONNREFUSED"), coded("ECONNREFUSED")]))).toBe(true);
  });
});
