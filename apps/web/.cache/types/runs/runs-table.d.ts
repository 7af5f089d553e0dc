import type { RunSummaryAnswer } from "@agentflow/contract";
export type Selection = ReadonlyMap<string, RunSummaryAnswer>;
/** Runs as a table, one line each. */
export declare function RunsTable(props: {
    readonly runs: readonly RunSummaryAnswer[];
    readonly selected: Selection;
    readonly select: (selected: Selection) => void;
}): import("react").JSX.Element;
