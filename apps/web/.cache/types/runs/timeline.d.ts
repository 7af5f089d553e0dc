import type { LoopAnswer } from "@agentflow/contract";
/** All completed iterations of a loop; only those in view are drawn (K-6: 2,000 entries stay usable). */
export declare function Timeline({ runId, loop }: {
    readonly runId: string;
    readonly loop: LoopAnswer;
}): import("react").JSX.Element;
