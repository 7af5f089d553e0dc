import type { LoopAnswer, RunAnswer } from "@agentflow/contract";
import { m } from "../messages/index.ts";
import { localTime } from "../ui/format.ts";

/** What a run is doing now or why it does not move, in one or two sentences (K-2). */
export function sentenceOf(run: RunAnswer, nowMs: number): string {
  const loop = activeLoop(run);
  switch (run.status) {
    case "queued":
      if (run.dueAt !== null && Date.parse(run.dueAt) > nowMs)
        return m.sentence.delayed(localTime(run.dueAt));
      return run.startedAt === null ? m.sentence.queuedNew : m.sentence.queued;
    case "running":
      return [
        loop === null ? m.sentence.runningPlain : m.sentence.running(nameOf(loop), loop.nextIteration),
        ...(run.attempt > 1 ? [m.sentence.attempt(run.attempt)] : []),
        ...(run.inDoubt ? [m.sentence.inDoubt] : []),
      ].join(" ");
    case "waiting":
      return loop === null ? m.sentence.waitingPlain : m.sentence.waiting(nameOf(loop), loop.nextIteration);
    case "succeeded":
      return m.sentence.succeeded;
    case "failed":
      return run.failure === null ? m.sentence.failedPlain : m.sentence.failed(run.failure.code);
    case "cancelled":
      return m.sentence.cancelled;
  }
}

/** The innermost loop that is at work or parked; loops stand in execution order, nested ones after their parents. */
export function activeLoop({ loops }: Pick<RunAnswer, "loops">): LoopAnswer | null {
  return loops.findLast(({ status }) => status === "running" || status === "waiting") ?? null;
}

/** A loop's label, or its path when it has none. */
export function nameOf({ label, path }: Pick<LoopAnswer, "label" | "path">): string {
  return label === "" ? path : label;
}

/** Why a parked run waits: the summary of the loop that parked it; empty when it gave none. */
export function waitReason(run: Pick<RunAnswer, "loops">): string {
  return run.loops.findLast(({ status }) => status === "waiting")?.summary ?? "";
}
