import type { RunAnswer } from "@agentflow/contract";
/** What can be done with a run in its present status. */
export declare function RunActions({ run }: {
    readonly run: RunAnswer;
}): import("react").JSX.Element;
/** The iteration at which a resume makes sense: with several parked loops the server is not told any. */
export declare function resumeGuard({ loops }: Pick<RunAnswer, "loops">): number | null;
