import { uuidv7 } from "uuidv7";
import fastify, { LogController } from "fastify";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import type { ApiDeps } from "./deps.ts";
import { takeRawBodies } from "./plugins/body.ts";
import { serveConsole } from "./plugins/console.ts";
import { serveDocs } from "./plugins/docs.ts";
import { answerBrokenAddress, answerBrokenRequest, answerErrors } from "./plugins/errors.ts";
import { sendSecurityHeaders } from "./plugins/headers.ts";
import { guardWithKeys } from "./plugins/keys.ts";
import { connectionLimits, limitConnections, serverOptions } from "./plugins/limits.ts";
import { refuse } from "./problem.ts";
import { bulkRoutes } from "./routes/bulk.ts";
import { fleetRoutes } from "./routes/fleet.ts";
import { flowRoutes } from "./routes/flows.ts";
import { layoutRoutes } from "./routes/layout.ts";
import { observedRoutes } from "./routes/observed.ts";
import { runChangeRoutes } from "./routes/run-changes.ts";
import { eventRoutes } from "./routes/run-events.ts";
import { removalRoutes } from "./routes/run-removals.ts";
import { runTimelineRoutes } from "./routes/run-timeline.ts";
import { runRoutes } from "./routes/runs.ts";
import { scheduleRoutes } from "./routes/schedules.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { sessionRoutes } from "./routes/session.ts";
import { serviceRoutes } from "./routes/service.ts";

/** Longer than any flow name, so that a name that is too long is not found rather than a broken address. */
const MAX_PATH_PARAMETER = 1024;

/** The HTTP API over its ports (3.4), not yet listening. It runs no script and holds no state of its own. */
export async function buildApp(deps: ApiDeps): Promise<FastifyInstance> {
  const limits = { ...connectionLimits, ...deps.limits };
  const app: FastifyInstance = fastify({
    loggerInstance: deps.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => uuidv7(),
    ...serverOptions(limits),
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER },
    // Ours answers with a problem.
    return503OnClosing: false,
    frameworkErrors: answerBrokenAddress,
    clientErrorHandler: (error, socket) => {
      if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
      else socket.end(answerBrokenRequest(error, uuidv7));
    },
  });
  limitConnections(app, limits);
  answerErrors(app);
  takeRawBodies(app);
  await sendSecurityHeaders(app);
  refuseWhileClosing(app);
  const { keys, keysRequired: always, nowMs } = deps;
  const guard = await guardWithKeys(app, { keys, always, nowMs });
  app.addHook("onResponse", async ({ method, url, log, routeOptions }, reply) => {
    deps.metrics.answered(method, routeOptions.url ?? "none", reply.statusCode, reply.elapsedTime);
    log.debug(
      { method, url, status: reply.statusCode, tookMs: Math.round(reply.elapsedTime) },
      "call answered",
    );
  });
  flowRoutes(app, deps);
  layoutRoutes(app, deps);
  runRoutes(app, deps);
  runChangeRoutes(app, deps);
  runTimelineRoutes(app, deps);
  removalRoutes(app, deps);
  bulkRoutes(app, deps);
  scheduleRoutes(app, deps);
  webhookRoutes(app, deps);
  eventRoutes(app, deps);
  observedRoutes(app, deps);
  serviceRoutes(app, deps);
  fleetRoutes(app, deps);
  sessionRoutes(app, deps, guard);
  await serveDocs(app);
  await serveConsole(app);
  return app;
}

function refuseWhileClosing(app: FastifyInstance): void {
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  app.addHook("onRequest", async (_request, reply) => {
    if (!closing) return;
    reply.header("connection", "close");
    return refuse(reply, { code: "unavailable", message: "The service is stopping; nothing was saved." });
  });
}
