import type { LoopAnswer } from "@agentflow/contract";
/** A loop as a state-machine card: progress, limits, latest outcome and the last three entries (K-7). */
export declare function LoopCard(props: {
    readonly loop: LoopAnswer;
    readonly selected: boolean;
    readonly onSelect: () => void;
}): import("react").JSX.Element;
