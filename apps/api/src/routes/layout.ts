import { operations } from "@agentflow/contract";
import { saveLayout } from "@agentflow/engine";
import type { FastifyInstance } from "fastify";
import type { ApiDeps } from "../deps.ts";
import { refuse } from "../problem.ts";
import { layoutChanged, readIfMatch, readLayoutBody } from "../reading/layout-body.ts";
import { notFound, pathParameter } from "../reading/path.ts";
import { addRoute, sendJson } from "./route.ts";

/** Places of some ten thousand nodes. */
const BODY_BYTES = 4 * 1024 * 1024;

/** Saving where the nodes of a flow stand. */
export function layoutRoutes(app: FastifyInstance, { use, reads }: ApiDeps): void {
  addRoute(
    app,
    operations.saveLayout,
    async (request, reply) => {
      const layout = readLayoutBody(request);
      if (!layout.ok) return refuse(reply, layout.refusal);
      const name = pathParameter(request, "name");
      if (name === null) return notFound(request, reply, "name");
      const match = readIfMatch(request);
      if (!match.ok) return refuse(reply, match.refusal);
      const given = { flow: name, layoutText: layout.value, match: match.value };
      const result = await saveLayout({ ...use, reads }, given);
      if (result.kind === "not_found") return notFound(request, reply, "name");
      if (result.kind === "changed") return refuse(reply, layoutChanged(result));
      const { flow, version, layoutTag } = result;
      reply.header("etag", `"${layoutTag}"`);
      return sendJson(reply, 200, JSON.stringify({ flow, version, layoutTag }));
    },
    BODY_BYTES,
  );
}
