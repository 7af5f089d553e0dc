import { operations } from "@agentflow/contract";
import type { Readiness, Stats } from "@agentflow/contract";
import { withDeadline } from "@agentflow/host";
import type { FastifyInstance } from "fastify";
import type { ApiDeps } from "../deps.ts";
import { addRoute, sendJson } from "./route.ts";

/** Probes want an answer soon; what takes longer counts as down. */
const PROBE_MS = 2000;

/** Numbers and probes. */
export function serviceRoutes(app: FastifyInstance, { reads, database, queue, metrics }: ApiDeps): void {
  addRoute(app, operations.getStats, async (_request, reply) => {
    const [runs, stuck, activity, depth] = await Promise.all([
      reads.counts(),
      reads.stuck(),
      reads.activity(),
      depthOf(queue),
    ]);
    const stats: Stats = {
      runs,
      queue: { status: depth === null ? "down" : "up", depth },
      ...activity,
      stuck,
    };
    return sendJson(reply, 200, JSON.stringify(stats));
  });

  addRoute(app, operations.getHealth, async (_request, reply) =>
    sendJson(reply, 200, JSON.stringify({ status: "ok" })),
  );

  addRoute(app, operations.getMetrics, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );

  addRoute(app, operations.getReadiness, async (_request, reply) => {
    const [databaseUp, queueUp] = await Promise.all([
      within(
        database.ping().then(() => true),
        "answer of the database",
      ),
      within(queue.ping(), "answer of the queue"),
    ]);
    const readiness: Readiness = {
      status: databaseUp ? "ready" : "unavailable",
      database: databaseUp ? "up" : "down",
      queue: queueUp ? "up" : "down",
    };
    return sendJson(reply, databaseUp ? 200 : 503, JSON.stringify(readiness));
  });
}

async function within(probe: Promise<boolean>, what: string): Promise<boolean> {
  return withDeadline(probe, PROBE_MS, what).catch(() => false);
}

async function depthOf(queue: ApiDeps["queue"]): Promise<number | null> {
  return withDeadline(queue.depth(), PROBE_MS, "answer of the queue").catch(() => null);
}
