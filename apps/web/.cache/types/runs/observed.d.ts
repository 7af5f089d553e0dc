import type { RunAnswer } from "@agentflow/contract";
/** Everything that happened to a run, newest first (L-50). */
export declare function Events({ run }: {
    readonly run: RunAnswer;
}): import("react").JSX.Element;
/** What the run's commands wrote to stderr, newest first and as text (S-21). */
export declare function Logs({ run }: {
    readonly run: RunAnswer;
}): import("react").JSX.Element;
