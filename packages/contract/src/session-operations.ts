import { NO_BODY } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { beginSessionBody, session } from "./session.ts";

/** Calls for browsers: a cookie in the place of a key in every header. */
export const sessionOperations = {
  getSession: {
    method: "GET",
    path: "/v1/session",
    group: "Service",
    summary: "Whether a key is needed, and whose session this is",
    scope: null,
    answers: { 200: ["The caller's session, if any", session] },
    problems: [],
  },
  beginSession: {
    method: "POST",
    path: "/v1/session",
    group: "Service",
    summary: "Log in with an API key; the answer sets a cookie",
    scope: null,
    body: { schema: beginSessionBody, optional: false },
    answers: { 200: ["The session", session] },
    problems: [
      "request_invalid",
      "body_too_large",
      "content_type_invalid",
      "unauthorized",
      "forbidden",
      "rate_limited",
    ],
  },
  endSession: {
    method: "DELETE",
    path: "/v1/session",
    group: "Service",
    summary: "Log out",
    scope: null,
    answers: { 204: ["There is no session any more", null] },
    problems: [...NO_BODY, "forbidden"],
  },
} as const satisfies Record<string, Operation>;
