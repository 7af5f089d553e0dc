import type { RunSummaryAnswer } from "@agentflow/contract";
import type { RunsQuery } from "../api/queries.ts";
export type BulkAction = "resume" | "cancel" | "rerun";
/** The runs an action is meant for, as their status was when they were seen. */
export declare function fitting(action: BulkAction, runs: Iterable<RunSummaryAnswer>): RunSummaryAnswer[];
export type BulkResult = {
    readonly done: number;
    readonly refused: readonly {
        id: string;
        message: string;
    }[];
};
/** Does it to each run, a few at a time; a refusal of one keeps none of the others from it. */
export declare function perform(runs: readonly RunSummaryAnswer[], act: (id: string) => Promise<unknown>, progress: (done: number) => void): Promise<BulkResult>;
/** Every run a filter matches, page by page, at most 5,000. */
export declare function allMatching(query: RunsQuery, signal?: AbortSignal): Promise<RunSummaryAnswer[]>;
