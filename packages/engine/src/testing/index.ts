export * from "./fake-clock.ts";
export * from "./memory-harness.ts";
export * from "./memory-queue.ts";
export * from "./memory/store.ts";
export type { AuditRow, RunRow, StoredEvent, Tables } from "./memory/tables.ts";
export * from "./scripted-runner.ts";
export type { MakeStore, StoreUnderTest } from "./suites/harness.ts";
