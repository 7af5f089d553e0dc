/** Code → HTTP status, what happened, what to do. */
export const FLOW_ERRORS = {
  flow_invalid: [
    422,
    "The flow has lint errors; nothing was stored.",
    "Mend the findings in details.findings; agentflow flow dsl lint shows the same list.",
  ],
  config_invalid: [
    422,
    "A setting of a loop or node is outside its grammar or above the operator's cap.",
    "Correct the value that the message names, or ask the operator to raise the cap it names.",
  ],
  delay_invalid: [
    422,
    "A pause between iterations is negative, too long, or its maximum is below its start.",
    "Keep 0 ≤ delayMs ≤ maxDelayMs ≤ 3600000 and backoffFactor ≥ 1.",
  ],
  input_reserved: [
    422,
    "The input of a repeat sets a key that the loop itself writes.",
    "Rename the key in the input, or change nextStateKey, untilKey or iterationKey.",
  ],
  body_not_one: [
    422,
    "An operation loop has no operation or more than one.",
    "Give exactly one of action, prompt and subAgent.",
  ],
  subflow_contract: [
    422,
    "A subflow's inputs or outputs do not fit the place it is used in.",
    "Give the subflow the inputs and outputs that the message names, with their types.",
  ],
  subflow_recursive: [
    422,
    "A subflow contains itself, directly or through calls and loops.",
    "Break the chain that the message shows.",
  ],
} as const;
