import type { FastifyReply } from "fastify";
import { refuse } from "../problem.ts";

/** 404, or 400 for a call that must name a loop. */
export function refuseLoop(reply: FastifyReply, problem: "no_loop" | "ambiguous_loop"): FastifyReply {
  if (problem === "no_loop")
    return refuse(reply, {
      code: "not_found",
      message: "The run has no such loop, or it has not begun yet.",
    });
  return refuse(reply, {
    code: "request_invalid",
    message: "The run has several loops; name one with ?loop= and its path as the run shows it.",
  });
}
