/** Code → HTTP status, what happened, what to do. */
export const REQUEST_ERRORS = {
  not_found: [
    404,
    "There is no such flow, run, loop or page.",
    "Check the name or id; list what exists with GET /v1/flows or GET /v1/runs.",
  ],
  request_invalid: [
    400,
    "The request's body, query or headers do not have the documented shape.",
    "Mend the field the message names; /docs shows the shape of every call.",
  ],
  input_unknown: [
    422,
    "The inputs name a node the flow does not take input for.",
    "Use the ids of the flow's provide nodes; GET /v1/flows/{name} lists them.",
  ],
  input_invalid: [
    422,
    "An input is not of the type that its provide node takes.",
    "Give a text for text and files, true or false for a yes or no, any value for JSON.",
  ],
  body_too_large: [
    413,
    "The request body is larger than this call accepts.",
    "Send less; details.limit names the limit in bytes.",
  ],
  content_type_invalid: [
    415,
    "The request body is not declared as JSON.",
    "Send the header content-type: application/json.",
  ],
  method_not_allowed: [
    405,
    "This address does not take that method; nothing changed.",
    "Use a method of the Allow header; only POST, PUT and DELETE change anything.",
  ],
  idempotency_conflict: [
    409,
    "The same Idempotency-Key came with another body before.",
    "Use a new key for a new request, or repeat the first body exactly.",
  ],
  precondition_failed: [
    412,
    "Someone registered a newer version or saved a newer layout meanwhile.",
    "Read the newest one, apply the change to it and send it with its version or ETag.",
  ],
  resume_conflict: [
    409,
    "The run cannot be resumed: it is not waiting, or waits at another iteration than the call names.",
    "Look at details.status and nextIteration of the run; resume it once it is waiting.",
  ],
  reset_conflict: [
    409,
    "The run cannot be reset: it did not fail with checkpoint_corrupt.",
    "Start a new run with POST /v1/runs/{id}/rerun instead.",
  ],
  state_not_kept: [
    404,
    "The state after that iteration is not kept: it was not reached, or given up for the size of the run, or the loop keeps no timeline.",
    "Ask for an iteration of details.kept; AGENTFLOW_TIMELINE_BUDGET and the loop's option timeline say what is kept.",
  ],
  fork_refused: [
    422,
    "The run cannot be forked there: the loop stands inside a subflow, or the version has no such loop.",
    "Fork a loop of the parent graph, under a version of the flow that has it.",
  ],
  run_terminal: [
    409,
    "The run has ended, and an ended run never changes.",
    "Start a new run with POST /v1/runs/{id}/rerun.",
  ],
  run_active: [409, "The run is executing and cannot be deleted.", "Cancel it first, then delete it."],
  flow_in_use: [
    409,
    "The flow has runs that have not ended; details.runs lists them.",
    "Wait for these runs or cancel them, then archive the flow.",
  ],
  unauthorized: [
    401,
    "The API key is missing or unknown.",
    "Send authorization: Bearer with a key made by agentflow keys create.",
  ],
  forbidden: [
    403,
    "The API key lacks the scope for this call, or the request came from a foreign Host or Origin.",
    "Use a key with the scope that the message names, and call the API by its own address.",
  ],
  rate_limited: [
    429,
    "Too many failed tries to authenticate.",
    "Wait for the time in the Retry-After header and check the key.",
  ],
} as const;
