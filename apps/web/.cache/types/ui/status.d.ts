import type { LoopAnswer, RunStatusWord } from "@agentflow/contract";
/** A run's status as a word with a sign, so that colour is not needed to read it. */
export declare function StatusBadge({ status }: {
    readonly status: RunStatusWord;
}): import("react").JSX.Element;
/** A loop's decision in its tone: continue purple, wait amber, done green, fail red (K-7). */
export declare function DecisionBadge({ decision }: {
    readonly decision: LoopAnswer["decision"];
}): import("react").JSX.Element;
