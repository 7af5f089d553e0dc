import type { RunSummaryAnswer } from "@agentflow/contract";
import type { BulkAction } from "./bulk.ts";
/** Says how many runs it will touch before it touches one, then what became of each (K-1). */
export declare function BulkDialog(props: {
    readonly action: BulkAction;
    readonly runs: readonly RunSummaryAnswer[];
    readonly onClose: (isDone: boolean) => void;
}): import("react").JSX.Element;
