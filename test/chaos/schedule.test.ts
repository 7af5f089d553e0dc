import { describe, expect, it } from "vitest";
import { allFlows } from "./flows.ts";
import { load } from "./load.ts";
import { schedule, type ScheduleOptions } from "./schedule.ts";

const options: ScheduleOptions = {
  seed: 42,
  durationMs: 60_000,
  queue: "redis",
  leaseMs: 2000,
  outageMs: 5000,
};
const plans = { runs: 50, durationMs: 60_000, mix: allFlows };

describe("the plan of a storm", () => {
  it("is a pure function of its seed: faults and load are the same again, and others for another seed", () => {
    expect(schedule(options)).toEqual(schedule({ ...options }));
    expect(load(42, plans)).toEqual(load(42, { ...plans }));
    expect(schedule({ ...options, seed: 43 })).not.toEqual(schedule(options));
    expect(load(43, plans)).not.toEqual(load(42, plans));
  });

  it("has every kind of fault, every manner of resume and every flow, whatever the seed", () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const kinds = new Set(schedule({ ...options, seed, durationMs: 22_000 }).map(({ kind }) => kind));
      expect(kinds.size, `seed ${seed}`).toBe(11);
      const flows = new Set(load(seed, plans).map(({ flow }) => flow));
      expect(flows.size).toBe(allFlows.length);
      expect(new Set(load(seed, plans).flatMap(({ manners }) => manners.slice(0, 1))).size).toBe(3);
    }
  });

  it("strikes in order of time, within the storm, and nothing that is still away", () => {
    const faults = schedule(options);
    const times = faults.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThan(options.durationMs);
    const away = faults.filter(({ kind }) => kind === "kill_redis");
    for (const [index, fault] of away.entries()) {
      const next = away[index + 1];
      if (next !== undefined && "forMs" in fault) expect(next.atMs).toBeGreaterThan(fault.atMs + fault.forMs);
    }
    for (const fault of faults)
      if (fault.kind === "kill_redis" || fault.kind === "stop_postgres")
        expect(fault.forMs).toBeLessThanOrEqual(options.outageMs);
  });
});
