/** Code → HTTP status, what happened, what to do. */
export const ATTEMPT_ERRORS = {
  state_invalid_json: [
    422,
    "A state, input or payload is not one JSON value.",
    "Correct the text at the position the message names; there is no lenient repair.",
  ],
  state_too_large: [
    413,
    "A state, input or payload is larger than 1048576 bytes of compact JSON.",
    "Keep bulk data elsewhere and put a reference to it into the state.",
  ],
  state_too_deep: [
    422,
    "A JSON value is nested deeper than 512 levels.",
    "Flatten the value at the path the message names.",
  ],
  number_not_exact: [
    422,
    "A JSON number cannot be kept exactly: an integer beyond ±9007199254740991, or not finite as a double.",
    "Write the number at the path the message names as a string.",
  ],
  duplicate_key: [
    422,
    "A JSON object holds the same key twice, which is ambiguous.",
    "Keep one of the members at the path the message names.",
  ],
  stdout_not_json_object: [
    422,
    "A loop's script printed something other than exactly one JSON object.",
    "Print one object on stdout and nothing else; logs belong on stderr.",
  ],
  stdout_unknown_field: [
    422,
    "A loop's script printed an object with unknown fields.",
    "Print only decision, state and summary; put other data into the state.",
  ],
  stdout_too_large: [
    422,
    "A command wrote, or a function returned, more than 1048576 bytes and was killed.",
    "Print less; pass bulk data through a file or another store.",
  ],
  stdout_not_utf8: [
    422,
    "A command's stdout is not valid UTF-8.",
    "Print UTF-8; encode binary data, for example as base64.",
  ],
  stderr_too_large: [
    422,
    "A command wrote more than 262144 bytes to stderr, or a function logged as much, and was killed.",
    "Log less, or into a file of your own.",
  ],
  decision_invalid: [
    422,
    "A loop's Condition, script or child gave no legal decision.",
    "Answer exactly one of continue, wait, done and fail; a repeat's child answers a real boolean.",
  ],
  summary_invalid: [
    422,
    "A summary is not text, or holds a NUL or half a surrogate pair.",
    "Give plain text, or leave the summary out.",
  ],
  summary_too_long: [
    422,
    "A summary has more than 4000 UTF-16 code units; it is never cut.",
    "Shorten the summary and keep details in the state.",
  ],
  exit_nonzero: [
    422,
    "A command exited with a code other than 0 or was ended by a signal, or the process of a function ended in a call; its output does not count.",
    "Read details.exitCode, details.signal and details.stderrTail, then mend the command.",
  ],
  function_failed: [
    422,
    "A function could not be loaded, threw, or returned what has no JSON.",
    "Read the message and the step's log, which has the stack; then mend the module.",
  ],
  spawn_failed: [
    422,
    "A command could not be started.",
    "Check that the interpreter and the file exist and are executable, and that no slot is too long for the system.",
  ],
  placeholder_blank: [
    422,
    "A placeholder in a command or prompt has no value.",
    "Fill the slot the message names, or take the placeholder out.",
  ],
  body_state_missing: [
    422,
    "A loop's Body returned no state.",
    "Return the whole next state; the text null is a legal state.",
  ],
  body_failed: [
    422,
    "The child of a repeat failed.",
    "Mend the node the message names; the reason is the child's.",
  ],
  state_missing: [
    422,
    "The child of a repeat wants another iteration but gave no next state.",
    "Let the child return the next state, or answer that it is done.",
  ],
  condition_unevaluable: [
    422,
    "A loop's expression could not be evaluated.",
    "Mend the expression the message shows; use ?. where a property may be missing.",
  ],
  subflow_paused: [
    422,
    "A node inside a subflow waited, which only a loop's own decision may do.",
    "Let the Condition decide wait instead.",
  ],
  nested_wait_unsupported: [
    422,
    "A loop inside another loop or a called subflow decided wait.",
    "Let the outermost loop wait; end the inner one with done and report through the state.",
  ],
  agent_failed: [
    422,
    "An agent's model or command gave an error or an unusable answer.",
    "Read the message and the node's log, then mend the prompt, the model or the catalogue.",
  ],
  agent_not_configured: [
    422,
    "The flow needs an agent runner or model that the operator has not set up.",
    "Ask the operator to configure the runner the message names.",
  ],
  node_failed: [422, "A node could not do its work.", "Read the message; it names the node and the reason."],
} as const;
