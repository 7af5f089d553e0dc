import { FakeClock } from "./fake-clock.ts";
import { createMemoryStore } from "./memory/store.ts";
import type { StoreUnderTest } from "./suites/harness.ts";

/** A memory store on a clock of its own, as the conformance suites want one. */
export async function memoryStoreUnderTest(): Promise<StoreUnderTest> {
  const clock = new FakeClock();
  const { work, requests, reads, keys, fleet, bulk, schedules, webhooks, tables } = createMemoryStore({
    nowMs: () => clock.nowMs(),
  });
  return {
    work,
    requests,
    reads,
    keys,
    fleet,
    bulk,
    schedules,
    webhooks,
    clockForward: async (ms) => clock.advance(ms),
    alignCreated: async (runIds) => {
      for (const run of tables.runs.values()) if (runIds.includes(run.id)) run.createdMs = 0;
    },
    events: async (runId) => tables.events.get(runId) ?? [],
    audits: async (runId) =>
      tables.audits
        .filter((audit) => audit.runId === runId)
        .map(({ action, caller, payload }) => ({ action, ...caller, payload })),
    close: async () => undefined,
  };
}
