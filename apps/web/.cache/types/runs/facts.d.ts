import type { RunAnswer } from "@agentflow/contract";
/** Everything else the API knows of a run. */
export declare function Facts({ run }: {
    readonly run: RunAnswer;
}): import("react").JSX.Element;
/** Tags lead to the runs that carry them. */
export declare function Tags({ tags }: {
    readonly tags: readonly string[];
}): import("react").JSX.Element[];
