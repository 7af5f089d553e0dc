import { defineNode } from "./definition.ts";
import type { SlotSpec } from "./definition.ts";

/** Options of every form of a loop (4.1), as slots; the object after the last argument writes the same ones. */
const options: Readonly<Record<string, SlotSpec>> = {
  delayMs: { type: "text" },
  backoffFactor: { type: "text" },
  maxDelayMs: { type: "text" },
  continueOnError: { type: "bool", accepts: ["text", "json"] },
  retries: { type: "json" },
  burst: { type: "json" },
  onExhausted: { type: "text" },
  itemVariable: { type: "text" },
  timeline: { type: "bool", accepts: ["text", "json"] },
  guards: { type: "json" },
};

/** What every form gives (1.2, O-6). */
const outputs: Readonly<Record<string, SlotSpec>> = {
  result: { type: "json" },
  state: { type: "json" },
  decision: { type: "text" },
  iterations: { type: "text" },
  summary: { type: "text" },
  history: { type: "json" },
  checkpointFingerprint: { type: "text" },
  completed: { type: "bool" },
  succeeded: { type: "text" },
  failed: { type: "text" },
  errors: { type: "json" },
};

/**
 * The While loop: slots of section 1.2. Its work is done by the loop protocol, one iteration at a time; which form it has, its
 * attributes and texts say (`loopForm`). `input` is what the operation form calls by that name (OP-5); `warm` keeps a script file loaded.
 */
export const controlWhile = defineNode({
  type: "control.while",
  inputs: {
    context: { type: "context" },
    state: { type: "json" },
    input: { type: "json" },
    maxIterations: { type: "text" },
    timeout: { type: "text" },
    ...options,
    outputMapping: { type: "json" },
    warm: { type: "bool" },
  },
  outputs,
  text: "script",
  card: { title: "While", icon: "repeat", tone: "purple" },
  run: () => ({ kind: "loop" }),
});

/** A child subflow, run until its boolean says true (4.2). Free inputs are the parent's values of R-3. */
export const controlRepeat = defineNode({
  type: "control.repeat",
  inputs: {
    context: { type: "context" },
    input: { type: "json" },
    stateKey: { type: "text" },
    nextStateKey: { type: "text" },
    untilKey: { type: "text" },
    iterationKey: { type: "text" },
    outputKey: { type: "text" },
    maxIterations: { type: "text" },
    timeout: { type: "text" },
    ...options,
  },
  freeInputs: true,
  outputs,
  card: { title: "Repeat", icon: "repeat-1", tone: "purple" },
  run: () => ({ kind: "loop" }),
});
