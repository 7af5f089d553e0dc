import { noBody, operations } from "@agentflow/contract";
import { cancelRun, resumeRun, startRun, withdrawResume } from "@agentflow/engine";
import type { CancelOutcome, ResumeRunResult, StartRunResult } from "@agentflow/engine";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { runText } from "../answers/run.ts";
import { shownRun } from "../answers/shown-run.ts";
import type { ApiDeps } from "../deps.ts";
import { callerOf } from "../plugins/keys.ts";
import { refusalOf, refuse } from "../problem.ts";
import type { Refusal } from "../problem.ts";
import { readJsonBody } from "../reading/json-body.ts";
import { notFound, pathParameter } from "../reading/path.ts";
import { readResumeRun, readStartRun } from "../reading/run-body.ts";
import { addRoute, sendJson } from "./route.ts";

/** Values of 1 MiB pass whatever their escapes, white space and neighbours are (S-15). */
export const RUN_BODY_BYTES = 16 * 1024 * 1024;

export type Answer =
  | { readonly status: 200 | 201 | 202; readonly runId: string }
  | { readonly refusal: Refusal }
  | "no_run";

/** Starting, resuming and cancelling runs; each answer is given after its commit (S-14). */
export function runChangeRoutes(app: FastifyInstance, deps: ApiDeps): void {
  const { use } = deps;
  const answer = (request: FastifyRequest, reply: FastifyReply, given: Answer) =>
    answerWithRun(deps, request, reply, given);

  addRoute(
    app,
    operations.startRun,
    async (request, reply) => {
      const read = readStartRun(request);
      if (!read.ok) return refuse(reply, read.refusal);
      const given = await startAnswer(deps, await startRun(use, read.value), read.value);
      if ("status" in given) reply.header("location", `/v1/runs/${given.runId}`);
      return answer(request, reply, given);
    },
    RUN_BODY_BYTES,
  );

  addRoute(
    app,
    operations.resumeRun,
    async (request, reply) => {
      const runId = pathParameter(request, "id");
      if (runId === null) return notFound(request, reply, "id");
      const read = readResumeRun(request);
      if (!read.ok) return refuse(reply, read.refusal);
      const caller = callerOf(request);
      if (read.value === "withdraw") {
        const { kind } = await withdrawResume(use, { runId, caller });
        return answer(request, reply, kind === "not_found" ? "no_run" : { status: 200, runId });
      }
      const result = await resumeRun(use, { ...read.value, runId, caller });
      return answer(request, reply, await resumeAnswer(deps, result, runId));
    },
    RUN_BODY_BYTES,
  );

  addRoute(app, operations.cancelRun, async (request, reply) => {
    const runId = pathParameter(request, "id");
    if (runId === null) return notFound(request, reply, "id");
    const read = readJsonBody(request, { schema: noBody, optional: true });
    if (!read.ok) return refuse(reply, read.refusal);
    const outcome = await cancelRun(use, { runId, caller: callerOf(request) });
    return answer(request, reply, cancelAnswer(outcome, runId));
  });
}

/** Answers with the run as it is now (S-14). */
export async function answerWithRun(
  deps: ApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Promise<FastifyReply> {
  if (answer === "no_run") return notFound(request, reply, "id");
  if ("refusal" in answer) return refuse(reply, answer.refusal);
  const run = await shownRun(deps, answer.runId);
  if (run === null) return notFound(request, reply, "id");
  return sendJson(reply, answer.status, runText(run));
}

async function startAnswer(
  deps: ApiDeps,
  result: StartRunResult,
  { flow, version }: { readonly flow: string; readonly version: number | null },
): Promise<Exclude<Answer, "no_run">> {
  switch (result.kind) {
    case "created":
      return { status: 201, runId: result.runId };
    case "existing":
      return { status: 200, runId: result.runId };
    case "conflict":
      return { refusal: await keyConflict(deps, result.runId) };
    case "not_found": {
      const what = version === null ? `flow "${flow}"` : `version ${version} of a flow "${flow}"`;
      return { refusal: { code: "not_found", message: `There is no ${what}.` } };
    }
    case "invalid":
      return { refusal: refusalOf(result.failures) };
  }
}

async function resumeAnswer(deps: ApiDeps, result: ResumeRunResult, runId: string): Promise<Answer> {
  switch (result.kind) {
    case "resumed":
    case "kept":
      return { status: 202, runId };
    case "repeated":
      return { status: 200, runId };
    case "key_conflict":
      return { refusal: await keyConflict(deps, runId) };
    case "not_waiting":
    case "other_iteration":
    case "kept_already": {
      const { kind, status, nextIteration } = result;
      const message = {
        not_waiting: `The run is ${status}, and only a waiting run can be resumed.`,
        other_iteration: `The run waits before iteration ${nextIteration}, not before the one the call names.`,
        kept_already: "Another resume is kept for the run's next wait already.",
      }[kind];
      return { refusal: { code: "resume_conflict", message, details: { runId, status, nextIteration } } };
    }
    case "invalid":
      return { refusal: refusalOf(result.failures) };
    case "version_not_found":
      return {
        refusal: { code: "not_found", message: "The run's flow has no such version.", details: { runId } },
      };
    case "not_found":
      return "no_run";
  }
}

function cancelAnswer(outcome: CancelOutcome, runId: string): Answer {
  switch (outcome.kind) {
    case "cancelled":
      return { status: outcome.executing ? 202 : 200, runId };
    case "already_cancelled":
      return { status: 200, runId };
    case "ended": {
      const message = `The run is ${outcome.status} and stays so.`;
      return { refusal: { code: "run_terminal", message, details: { runId, status: outcome.status } } };
    }
    case "not_found":
      return "no_run";
  }
}

/** The refusal of an Idempotency-Key that came with another request before. */
export async function keyConflict({ use }: ApiDeps, runId: string): Promise<Refusal> {
  const head = await use.store.runHead(runId);
  const message = "This Idempotency-Key came before with another request.";
  return { code: "idempotency_conflict", message, details: { runId, status: head?.status ?? null } };
}
