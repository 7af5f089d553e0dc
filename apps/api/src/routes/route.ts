import type { Operation } from "@agentflow/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

const NO_BODY_LIMIT = 1024;

/** Adds the route of one operation of the contract. `bodyLimit` in bytes; calls that take `{}` at most need none. */
export function addRoute(
  app: FastifyInstance,
  { method, path, scope }: Operation,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  bodyLimit = NO_BODY_LIMIT,
): void {
  app.route({ method, url: path.replace(/\{(\w+)\}/g, ":$1"), bodyLimit, config: { scope }, handler });
}

/** Answers with finished JSON text. */
export function sendJson(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type("application/json; charset=utf-8").send(text);
}
