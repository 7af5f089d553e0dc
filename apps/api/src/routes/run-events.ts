import { Readable } from "node:stream";
import { DEFAULT_PAGE_LIMIT, eventsQuery, operations } from "@agentflow/contract";
import type { EventPage } from "@agentflow/engine";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ApiDeps } from "../deps.ts";
import { createEventFeed } from "../events/feed.ts";
import { eventStream } from "../events/stream.ts";
import { refuse, refused } from "../problem.ts";
import type { Read } from "../problem.ts";
import { notFound, pathParameter } from "../reading/path.ts";
import { readQuery } from "../reading/query.ts";
import { addRoute, sendJson } from "./route.ts";

const POLL_MS = 250;
const HEARTBEAT_MS = 15_000;

/** What happened to a run: pages, and a stream that goes on (3.4, L-50). */
export function eventRoutes(app: FastifyInstance, { reads, metrics, eventTimes = {} }: ApiDeps): void {
  const { pollMs = POLL_MS, heartbeatMs = HEARTBEAT_MS } = eventTimes;
  const feed = createEventFeed(reads, pollMs);
  metrics.watchStreams(() => feed.open);
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());

  addRoute(app, operations.getRunEvents, async (request, reply) => {
    const id = pathParameter(request, "id");
    if (id === null) return notFound(request, reply, "id");
    const query = readQuery(request, eventsQuery);
    if (!query.ok) return refuse(reply, query.refusal);
    const { limit = DEFAULT_PAGE_LIMIT, cursor } = query.value;
    const seen = readLastEventId(request);
    if (!seen.ok) return refuse(reply, seen.refusal);
    const after = seen.value ?? cursor ?? 0;
    const page = await reads.events(id, { after, limit });
    if (page === "no_run") return notFound(request, reply, "id");
    reply.header("vary", "accept");
    if (wantsPages(request)) return sendJson(reply, 200, pageText(page, limit));
    // A browser connects again when a stream ends, unless it is told that nothing will come.
    if (page.ended && after >= page.newest) return reply.code(204).send();
    reply.type("text/event-stream; charset=utf-8").header("x-accel-buffering", "no");
    // A connection that is kept would hold up the end of the service.
    reply.header("connection", "close");
    if (request.method === "HEAD") return reply.send();
    const signal = AbortSignal.any([closing.signal, closedSignal(reply)]);
    reply.raw.once("close", feed.enter());
    return reply.send(Readable.from(eventStream({ reads, feed, heartbeatMs }, id, after, signal)));
  });
}

/** Aborted when the connection is gone; the reader of a stream says nothing else. */
function closedSignal(reply: FastifyReply): AbortSignal {
  const closed = new AbortController();
  reply.raw.once("close", () => closed.abort());
  return closed.signal;
}

function readLastEventId(request: FastifyRequest): Read<number | null> {
  const given = request.headers["last-event-id"];
  if (given === undefined || given === "") return { ok: true, value: null };
  if (typeof given === "string" && /^\d{1,15}$/.test(given)) return { ok: true, value: Number(given) };
  return refused("request_invalid", "The header Last-Event-ID must be the id of an event of this run.");
}

function wantsPages(request: FastifyRequest): boolean {
  const accept = request.headers.accept ?? "";
  return accept.includes("application/json") && !accept.includes("text/event-stream");
}

/** The last event's number is the next cursor; it may be used later too, when there is more. */
function pageText({ items, newest }: EventPage, limit: number): string {
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = last !== undefined && last.seq < newest ? String(last.seq) : null;
  return JSON.stringify({ items: shown, nextCursor });
}
