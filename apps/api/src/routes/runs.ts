import { DEFAULT_PAGE_LIMIT, historyQuery, listRunsQuery, operations, stateQuery } from "@agentflow/contract";
import type { ListRunsQuery } from "@agentflow/contract";
import { plannedLoopsOf } from "@agentflow/engine";
import type { RunFilter } from "@agentflow/engine";
import type { FastifyInstance } from "fastify";
import { historyPageText, runPageText, runText } from "../answers/run.ts";
import { shownRun } from "../answers/shown-run.ts";
import type { ApiDeps } from "../deps.ts";
import { refuse } from "../problem.ts";
import { notFound, pathParameter } from "../reading/path.ts";
import { INVALID_CURSOR, loopPath, readQuery } from "../reading/query.ts";
import { refuseLoop } from "./refuse-loop.ts";
import { addRoute, sendJson } from "./route.ts";
import { refuseState, stateAt } from "./run-timeline.ts";

/** Showing runs: they read and never change anything (S-14). */
export function runRoutes(app: FastifyInstance, deps: ApiDeps): void {
  const { use, reads } = deps;
  addRoute(app, operations.listRuns, async (request, reply) => {
    const query = readQuery(request, listRunsQuery);
    if (!query.ok) return refuse(reply, query.refusal);
    const page = await reads.runs(filterOf(query.value));
    if (page === "invalid_cursor") return refuse(reply, INVALID_CURSOR);
    return sendJson(reply, 200, runPageText(page));
  });

  addRoute(app, operations.getRun, async (request, reply) => {
    const id = pathParameter(request, "id");
    const run = id === null ? null : await shownRun(deps, id);
    return run === null ? notFound(request, reply, "id") : sendJson(reply, 200, runText(run));
  });

  addRoute(app, operations.getRunState, async (request, reply) => {
    const id = pathParameter(request, "id");
    if (id === null) return notFound(request, reply, "id");
    const query = readQuery(request, stateQuery);
    if (!query.ok) return refuse(reply, query.refusal);
    const { loop, iteration, epoch = null } = query.value;
    const path = loopPath(loop);
    if (iteration !== undefined) {
      const at = await stateAt(deps, id, { path, epoch, iteration });
      return typeof at === "string" ? sendJson(reply, 200, at) : refuseState(request, reply, at);
    }
    const found = await reads.state(id, path);
    if (found === "no_run") return notFound(request, reply, "id");
    if (found === "no_loop") {
      const planned = await plannedLoopsOf(use, id);
      const state = (path === null ? [...planned.values()][0] : planned.get(path))?.state;
      if (state !== undefined && state !== null) return sendJson(reply, 200, state);
    }
    if (typeof found === "string") return refuseLoop(reply, found);
    return sendJson(reply, 200, found.text);
  });

  addRoute(app, operations.getRunHistory, async (request, reply) => {
    const id = pathParameter(request, "id");
    if (id === null) return notFound(request, reply, "id");
    const query = readQuery(request, historyQuery);
    if (!query.ok) return refuse(reply, query.refusal);
    const { loop, epoch = null, limit = DEFAULT_PAGE_LIMIT, cursor } = query.value;
    const paging = { limit, ...(cursor !== undefined && { cursor }) };
    const page = await reads.history(id, { path: loopPath(loop), epoch, ...paging });
    if (page === "no_run") return notFound(request, reply, "id");
    if (page === "invalid_cursor") return refuse(reply, INVALID_CURSOR);
    // A loop that has not begun has completed nothing, which is an empty history and no error.
    if (
      page === "no_loop" &&
      (loop === undefined || (await plannedLoopsOf(use, id)).has(loopPath(loop) ?? ""))
    )
      return sendJson(reply, 200, historyPageText({ items: [], nextCursor: null }));
    if (typeof page === "string") return refuseLoop(reply, page);
    return sendJson(reply, 200, historyPageText(page));
  });
}

function filterOf({ limit = DEFAULT_PAGE_LIMIT, ...given }: ListRunsQuery): RunFilter {
  const filters = Object.entries(given).filter(([, value]) => value !== undefined);
  return { limit, ...(Object.fromEntries(filters) as Omit<RunFilter, "limit">) };
}
