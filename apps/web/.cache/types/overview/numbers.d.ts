import type { RunStatusWord, RunSummaryAnswer } from "@agentflow/contract";
export declare const AGES: readonly ["hour", "day", "week", "older"];
export type Age = (typeof AGES)[number];
/** Parked runs by how long they wait. */
export declare function byAge(runs: readonly Pick<RunSummaryAnswer, "updatedAt">[], nowMs: number): Record<Age, number>;
/** Failures by code, most frequent first. */
export declare function byCode(runs: readonly Pick<RunSummaryAnswer, "failure">[]): [code: string, count: number][];
export type Hour = {
    readonly startMs: number;
} & Record<RunStatusWord, number>;
/** Runs by the hour they were created in and their status now: the last 24 hours, the running one last. */
export declare function byHour(runs: readonly Pick<RunSummaryAnswer, "createdAt" | "status">[], nowMs: number): Hour[];
