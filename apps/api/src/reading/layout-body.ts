import { layoutSchema, objectText } from "@agentflow/core";
import type { SaveLayoutResult } from "@agentflow/engine";
import type { FastifyRequest } from "fastify";
import { refused } from "../problem.ts";
import type { Read, Refusal } from "../problem.ts";
import { readJsonBody } from "./json-body.ts";

/** A layout as exact JSON text. */
export function readLayoutBody(request: FastifyRequest): Read<string> {
  const body = readJsonBody(request, { schema: layoutSchema, optional: false });
  return body.ok ? { ok: true, value: objectText(body.value.texts) } : body;
}

const ENTITY_TAG = /^\s*(W\/)?"([^"]*)"\s*$/;

/** The tags of `If-Match`, compared strongly: weak ones match nothing (RFC 9110, 13.1.1). Without the header nothing is saved. */
export function readIfMatch(request: FastifyRequest): Read<readonly string[] | "any"> {
  const given = request.headers["if-match"];
  if (given === undefined) {
    const mend = "Send the layoutTag of the flow in quotes, or * to replace whatever layout there is.";
    return refused("precondition_failed", `The header If-Match is missing. ${mend}`);
  }
  if (given.trim() === "*") return { ok: true, value: "any" };
  const tags = given.split(",").map((tag) => ENTITY_TAG.exec(tag));
  if (tags.includes(null))
    return refused("request_invalid", 'The header If-Match must be *, or tags in quotes such as "1.ab".');
  const strong = tags.filter((tag) => tag?.[1] === undefined);
  return { ok: true, value: strong.map((tag) => tag?.[2] ?? "") };
}

/** Says what there is instead of the layout the caller knows. */
export function layoutChanged({
  newest,
  layoutTag,
}: Extract<SaveLayoutResult, { kind: "changed" }>): Refusal {
  return {
    code: "precondition_failed",
    message: `There is another layout by now, of version ${newest}. Read the flow again and put your changes on that.`,
    details: { newest, layoutTag },
  };
}
