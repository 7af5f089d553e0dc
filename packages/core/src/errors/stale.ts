/** Code → HTTP status, what happened, what to do. */
export const STALE_ERRORS = {
  run_cancelled: [
    409,
    "The run was cancelled while this work was under way; its result is dropped.",
    "Nothing; start a new run if the work is still wanted.",
  ],
  claim_lost: [
    409,
    "Another worker took this iteration over; the late result is dropped.",
    "Nothing; if it happens often, give workers more processor time or raise AGENTFLOW_CLAIM_LEASE.",
  ],
} as const;
