import type { RunAnswer } from "@agentflow/contract";
/** Why a run failed: code, message, where, the end of stderr and the flow's version (K-2). */
export declare function FailurePanel({ run }: {
    readonly run: RunAnswer;
}): import("react").JSX.Element | null;
