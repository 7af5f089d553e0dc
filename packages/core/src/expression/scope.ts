import { quote } from "../json/strings.ts";
import { objectText } from "../json/write.ts";
import type { Scope } from "./evaluate.ts";

/** Where an operation loop stands before an iteration; `state`, `input` and `last` are exact JSON texts. */
export type LoopMoment = {
  readonly state: string;
  readonly input: string;
  /** The coming iteration, from 1. */
  readonly iteration: number;
  /** Result of the latest pass, null before the first one. */
  readonly last: string | null;
  /** Name of the object with the counts of attempts (O-5). */
  readonly itemVariable: string;
  /** Successful passes so far, given for a JSON `WhileOperation` only: its expressions know `payload` and `results` (OP-6). */
  readonly succeeded?: number;
};

/** The values that expressions see, and which of their names a plain text may begin a path with (OP-5). */
export type LoopScope = { readonly values: Scope; readonly roots: ReadonlySet<string> };

/** The scope of one iteration (O-5, OP-5, OP-6). */
export function loopScope(moment: LoopMoment): LoopScope {
  const { state, input, iteration, last, itemVariable, succeeded } = moment;
  const counts = objectText([
    ["attemptNumber", String(iteration)],
    ["totalAttempts", String(iteration - 1)],
  ]);
  const values = new Map([
    ["state", state],
    ["input", input],
    [itemVariable, counts],
    ["iteration", String(iteration)],
    ["index", String(iteration - 1)],
    ["last", last ?? "null"],
  ]);
  if (succeeded !== undefined) {
    values.set("payload", state);
    values.set("results", `{${quote("length")}:${succeeded}}`);
  }
  return { values, roots: new Set(["state", "input", itemVariable, "iteration", "last"]) };
}

/** Every name that an expression of such a loop may use, for lint (E-3). */
export function loopNames(itemVariable: string, isWhileOperation = false): ReadonlySet<string> {
  const none = { state: "null", input: "null", iteration: 1, last: null, itemVariable };
  return new Set(loopScope(isWhileOperation ? { ...none, succeeded: 0 } : none).values.keys());
}
