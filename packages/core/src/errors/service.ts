/** Code → HTTP status, what happened, what to do. */
export const SERVICE_ERRORS = {
  checkpoint_corrupt: [
    409,
    "A loop's stored checkpoint does not hold together; nothing was executed and the row was kept.",
    "Find out who changed the row; then restore it, or start over with POST /v1/runs/{id}/reset.",
  ],
  worker_lost: [
    500,
    "Workers were lost in the same iteration until its infrastructure attempts were used up.",
    "Look for what kills the workers, memory first; then start a new run.",
  ],
  unavailable: [
    503,
    "The database is out of reach or the service is stopping; nothing was saved.",
    "Repeat the call with the same Idempotency-Key after a moment.",
  ],
  internal: [
    500,
    "Something unexpected happened inside the service.",
    "Report it with the id of the request; the log holds the details.",
  ],
} as const;
