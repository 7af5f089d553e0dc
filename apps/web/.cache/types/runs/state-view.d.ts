import type { LoopAnswer, RunAnswer } from "@agentflow/contract";
/** The state of a loop's checkpoint, exactly as it is stored. */
export declare function StateView({ run, loop }: {
    readonly run: RunAnswer;
    readonly loop: LoopAnswer;
}): import("react").JSX.Element;
