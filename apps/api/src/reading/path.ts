import { pathParameters } from "@agentflow/contract";
import type { PathParameter } from "@agentflow/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { refuse, shown } from "../problem.ts";

const WHAT: Record<PathParameter, string> = {
  id: "run",
  name: "flow",
  n: "version",
  bulk: "bulk action",
  schedule: "schedule",
  webhook: "webhook",
  delivery: "delivery",
};

/** A path parameter of the request, or null when nothing can have such a name. */
export function pathParameter(request: FastifyRequest, name: PathParameter): string | null {
  const given = (request.params as Partial<Record<PathParameter, string>>)[name] ?? "";
  // Digits of a version are compared as a number: `01` is no version.
  const value = name === "n" && /^[1-9]\d{0,9}$/.test(given) ? Number(given) : given;
  if (!pathParameters[name].safeParse(value).success) return null;
  return name === "name" || name === "n" ? given : given.toLowerCase();
}

/** 404 naming what was asked for. */
export function notFound(request: FastifyRequest, reply: FastifyReply, name: PathParameter): FastifyReply {
  const given = (request.params as Partial<Record<PathParameter, string>>)[name] ?? "";
  return refuse(reply, { code: "not_found", message: `There is no ${WHAT[name]} ${shown(given)}.` });
}
