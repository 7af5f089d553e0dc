import { diffQuery, operations } from "@agentflow/contract";
import { jsonDiff, objectText } from "@agentflow/core";
import { forkRun, plannedLoopsOf, readStateAt } from "@agentflow/engine";
import type { ForkRunResult, StateAt } from "@agentflow/engine";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ApiDeps } from "../deps.ts";
import { callerOf } from "../plugins/keys.ts";
import { refusalOf, refuse } from "../problem.ts";
import type { Refusal } from "../problem.ts";
import { notFound, pathParameter } from "../reading/path.ts";
import { loopPath, readQuery } from "../reading/query.ts";
import { readFork } from "../reading/run-body.ts";
import { refuseLoop } from "./refuse-loop.ts";
import { addRoute, sendJson } from "./route.ts";
import { RUN_BODY_BYTES, answerWithRun, keyConflict } from "./run-changes.ts";
import type { Answer } from "./run-changes.ts";

type Missing = Exclude<StateAt, { kind: "state" }>;
type At = { readonly path: string | null; readonly epoch: number | null; readonly iteration: number };

/** Earlier states of a loop: how two differ, and runs that go on from one (OP-7). */
export function runTimelineRoutes(app: FastifyInstance, deps: ApiDeps): void {
  addRoute(app, operations.getRunDiff, async (request, reply) => {
    const id = pathParameter(request, "id");
    if (id === null) return notFound(request, reply, "id");
    const query = readQuery(request, diffQuery);
    if (!query.ok) return refuse(reply, query.refusal);
    const { loop, epoch: asked = null, from, to } = query.value;
    const address = { path: loopPath(loop), epoch: asked };
    const before = await readStateAt(deps.reads, id, { ...address, iteration: from });
    if (before.kind !== "state") return refuseState(request, reply, before);
    const { path, epoch } = before;
    const after = await readStateAt(deps.reads, id, { path, epoch, iteration: to });
    if (after.kind !== "state") return refuseState(request, reply, after);
    const patch = jsonDiff(before.text, after.text);
    const facts = Object.entries({ loop: path, epoch, from, to });
    const shown = facts.map(([name, value]) => [name, JSON.stringify(value)] as const);
    return sendJson(reply, 200, objectText([...shown, ["patch", patch]]));
  });

  addRoute(
    app,
    operations.forkRun,
    async (request, reply) => {
      const runId = pathParameter(request, "id");
      if (runId === null) return notFound(request, reply, "id");
      const read = readFork(request);
      if (!read.ok) return refuse(reply, read.refusal);
      const use = { ...deps.use, reads: deps.reads };
      const result = await forkRun(use, { ...read.value, runId, caller: callerOf(request) });
      if (isMissing(result)) return refuseState(request, reply, result);
      const answer = await forkAnswer(deps, result);
      if ("status" in answer) reply.header("location", `/v1/runs/${answer.runId}`);
      return answerWithRun(deps, request, reply, answer);
    },
    RUN_BODY_BYTES,
  );
}

/** The exact text of a state, or why it is not there; before a loop has begun, its captured initial state is known. */
export async function stateAt(deps: ApiDeps, runId: string, at: At): Promise<string | Missing> {
  const found = await readStateAt(deps.reads, runId, at);
  if (found.kind === "state") return found.text;
  if (found.kind !== "no_loop" || at.iteration > 0) return found;
  const planned = await plannedLoopsOf(deps.use, runId);
  const loop = at.path === null ? [...planned.values()][0] : planned.get(at.path);
  return loop?.state ?? found;
}

/** Answers why a state is not there. */
export function refuseState(request: FastifyRequest, reply: FastifyReply, missing: Missing): FastifyReply {
  if (missing.kind === "no_run") return notFound(request, reply, "id");
  if (missing.kind !== "not_kept") return refuseLoop(reply, missing.kind);
  const { path: loop, completed, kept } = missing;
  const range =
    kept === null ? "no earlier state is" : `the states after iterations ${kept.from} to ${kept.to} are`;
  const message = `That state is not kept: the loop has completed ${completed} iterations, and ${range}.`;
  return refuse(reply, { code: "state_not_kept", message, details: { loop, completed, kept } });
}

function isMissing(result: ForkRunResult): result is Missing {
  return ["not_kept", "no_run", "no_loop", "ambiguous_loop"].includes(result.kind);
}

async function forkAnswer(
  deps: ApiDeps,
  result: Exclude<ForkRunResult, Missing>,
): Promise<Exclude<Answer, "no_run">> {
  switch (result.kind) {
    case "created":
      return { status: 201, runId: result.runId };
    case "existing":
      return { status: 200, runId: result.runId };
    case "conflict":
      return { refusal: await keyConflict(deps, result.runId) };
    case "version_not_found": {
      const message = `The flow "${result.flow}" has no version ${result.version}, or is archived.`;
      return { refusal: { code: "not_found", message } satisfies Refusal };
    }
    case "invalid":
      return { refusal: refusalOf(result.failures) };
  }
}
