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
  guard_tripped: [
    422,
    "A guard of the loop tripped, and the loop is told to fail then.",
    "Read the evidence in the message; fork the run from an earlier iteration, or change the loop or its guards.",
  ],
  loop_failed: [
    422,
    "A loop decided fail.",
    "Read the summary in the message; the state and history are kept.",
  ],
} as const;
