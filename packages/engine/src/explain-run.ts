import type { Reads } from "./ports/reads.ts";
import type { LimitWait } from "./ports/limits.ts";
import { AHEAD_LIMIT } from "./ports/standing.ts";
import type { RunStanding } from "./ports/standing.ts";

export const standingReasons = [
  "queued",
  "limited",
  "stuck",
  "executing",
  "between_iterations",
  "retrying",
  "delayed",
  "lost",
  "parked",
  "succeeded",
  "failed",
  "cancelled",
] as const;

/** Why a run is not moving, for a program (`reason`) and for a person (one sentence). Times are UTC. */
export type Explanation = {
  readonly status: RunStanding["status"];
  readonly reason: (typeof standingReasons)[number];
  readonly sentence: string;
  readonly since: string;
  /** When it goes on by itself, if that is known. */
  readonly until: string | null;
};

/** Explains where a run stands; null when there is none. */
export async function explainRun(
  deps: { readonly reads: Pick<Reads, "standing"> },
  runId: string,
): Promise<Explanation | null> {
  const standing = await deps.reads.standing(runId);
  return standing === null ? null : explain(standing);
}

/** The explanation of a standing. */
export function explain(run: RunStanding): Explanation {
  const { status } = run;
  switch (status) {
    case "waiting":
      return parked(run);
    case "succeeded":
      return ended(run, "succeeded", "The run has succeeded.");
    case "cancelled":
      return ended(run, "cancelled", "The run was cancelled.");
    case "failed":
      return ended(run, "failed", failedText(run));
    case "queued":
    case "running":
      return { status, ...liveExplanation(run) };
  }
}

function ended(run: RunStanding, reason: Explanation["reason"], sentence: string): Explanation {
  return { status: run.status, reason, sentence, since: run.settledAt ?? run.updatedAt, until: null };
}

function parked(run: RunStanding): Explanation {
  const by = run.dueAt === null ? "" : ` It goes on by itself at ${run.dueAt}.`;
  const sentence = `${parkedText(run)} Resume it to go on with iteration ${run.nextIteration}.${by}`;
  return { ...ended(run, "parked", sentence), until: run.dueAt };
}

function parkedText({ loop }: RunStanding): string {
  if (loop === null) return "The run is parked.";
  const { label, summary } = loop;
  return `The loop ${label} decided to wait${summary === "" ? "" : `: ${JSON.stringify(summary)}`}.`;
}

function failedText(run: RunStanding): string {
  const { failure } = run;
  if (failure === null) return "The run has failed.";
  const { code, message, node, iteration } = failure;
  const place = [node && `node ${node}`, iteration !== null && `iteration ${iteration}`].filter(Boolean);
  return `The run failed with ${code}${place.length === 0 ? "" : ` at ${place.join(", ")}`}: ${message}${doubtText(run)}`;
}

function liveExplanation(run: RunStanding): Omit<Explanation, "status"> {
  const work = run.loop === null ? "the run" : `iteration ${run.nextIteration} of the loop ${run.loop.label}`;
  if (run.leased) return executing(run, work);
  if (run.limit !== null) return limited(run.limit, work);
  if (run.dueAt !== null)
    return { reason: "delayed", sentence: delayedText(run, work), since: run.updatedAt, until: run.dueAt };
  if (run.overdue) {
    const sentence = `Nobody has taken ${work} although it is ready: no worker runs, or none can reach the queue or the database.`;
    return { reason: "stuck", sentence, since: run.dispatchAfter, until: null };
  }
  if (run.leaseOwner !== null) {
    const sentence = `The worker ${run.leaseOwner} that held ${work} was not heard of any more; another one takes it over.`;
    return { reason: "lost", sentence, since: run.leaseUntil ?? run.updatedAt, until: null };
  }
  if (run.status === "queued") return queued(run);
  if (run.attempt > 0) {
    const sentence = `Attempt ${run.attempt} at ${work} came to nothing and is repeated.`;
    return { reason: "retrying", sentence, since: run.updatedAt, until: run.dispatchAfter };
  }
  const sentence = `A worker is about to take ${work}.`;
  return { reason: "between_iterations", sentence, since: run.updatedAt, until: null };
}

function limited({ level, max, ahead, since }: LimitWait, work: string): Omit<Explanation, "status"> {
  const whose = level === "flow" ? "of its flow" : "of its flow with its concurrency key";
  const before = ahead === 0 ? "" : `, and ${ahead} wait${ahead === 1 ? "s" : ""} before it`;
  const sentence = `Queued behind a limit: ${max} run${max === 1 ? "" : "s"} ${whose} may be executed at a time${before}; ${work} goes on when there is room.`;
  return { reason: "limited", sentence, since, until: null };
}

function delayedText({ dueAt, status }: RunStanding, work: string): string {
  return status === "queued"
    ? `The run is delayed until ${dueAt}.`
    : `A pause is under way: ${work} is delayed until ${dueAt}.`;
}

function executing(run: RunStanding, work: string): Omit<Explanation, "status"> {
  const attempt = run.attempt > 1 ? `, attempt ${run.attempt}` : "";
  const sentence = `The worker ${run.leaseOwner} executes ${work}${attempt}.${doubtText(run)}`;
  return { reason: "executing", sentence, since: run.claimedAt ?? run.updatedAt, until: null };
}

/** Who died, when and under which key: what an operator needs to look for effects (L-52). */
function doubtText({ lost, inDoubt }: RunStanding): string {
  if (lost === null) return inDoubt ? " An earlier attempt died and may have had effects." : "";
  const { attempt, worker, startedAt, idempotencyKey } = lost;
  const key = idempotencyKey === null ? "" : ` under the key ${idempotencyKey}`;
  return ` Attempt ${attempt}, started at ${startedAt} by the worker ${worker}, died and may have had effects${key}.`;
}

function queued({ ahead, updatedAt }: RunStanding): Omit<Explanation, "status"> {
  const many = ahead >= AHEAD_LIMIT ? `${AHEAD_LIMIT} or more` : String(ahead);
  const sentence =
    ahead === 0
      ? "The run is queued; a worker takes it as soon as one is free."
      : `The run is queued behind ${many} other run${ahead === 1 ? "" : "s"}.`;
  return { reason: "queued", sentence, since: updatedAt, until: null };
}
