/** Code → HTTP status, what happened, what to do. */
export const LIMIT_ERRORS = {
  loop_max_iterations: [
    422,
    "A loop used up its iterations without coming to an end.",
    "Raise maxIterations, or let the loop decide done earlier; start a new run.",
  ],
  loop_timeout: [
    422,
    "A loop used up its active time; the step that was running was killed.",
    "Raise timeout, or make the steps faster; start a new run.",
  ],
  loop_failed: [
    422,
    "A loop decided fail.",
    "Read the summary in the message; the state and history are kept.",
  ],
} as const;
