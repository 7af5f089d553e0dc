import type { LoopAnswer, RunAnswer } from "@agentflow/contract";
/** What a run is doing now or why it does not move, in one or two sentences (K-2). */
export declare function sentenceOf(run: RunAnswer, nowMs: number): string;
/** The innermost loop that is at work or parked; loops stand in execution order, nested ones after their parents. */
export declare function activeLoop({ loops }: Pick<RunAnswer, "loops">): LoopAnswer | null;
/** A loop's label, or its path when it has none. */
export declare function nameOf({ label, path }: Pick<LoopAnswer, "label" | "path">): string;
/** Why a parked run waits: the summary of the loop that parked it; empty when it gave none. */
export declare function waitReason(run: Pick<RunAnswer, "loops">): string;
