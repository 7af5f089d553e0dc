import {
  decodeString,
  excerpt,
  failure,
  inputReserved,
  inputType,
  members,
  ownEntry,
  readInitialState,
  readRepeatKeys,
  readState,
  REPEAT_KEYS,
  repeatOutputNames,
  reservedKeys,
  scan,
} from "@agentflow/core";
import type { Checkpoint, Failure, RepeatKeys, SlotValues } from "@agentflow/core";
import type { IterationEnd, IterationWork } from "../run-iteration.ts";
import { runSubflow } from "../run-subflow.ts";
import { failed } from "../step-context.ts";
import type { StepContext, Stop } from "../step-context.ts";
import { slotJson, subflowInputs, subflowJson } from "./values.ts";

/** What a repeat is settled with before iteration 1: its keys, the child's input as JSON texts by name, the first state. */
export type RepeatStart = {
  readonly keys: RepeatKeys;
  readonly input: ReadonlyMap<string, string>;
  readonly state: string;
};

export type RepeatReading =
  | { readonly ok: true; readonly start: RepeatStart }
  | { readonly ok: false; readonly failure: Failure };

/**
 * Reads the slots of a repeat. They are the same in every iteration, so reading them again gives the same. `config_invalid`,
 * `input_reserved`, or the state's own codes.
 */
export function repeatStart(context: StepContext, id: string, inputs: SlotValues): RepeatReading {
  const read = readRepeatKeys(givenKeys(context, id, inputs));
  if (!read.ok) return read;
  const { keys } = read;
  const input = inputOf(context, id, inputs, keys);
  if (!(input instanceof Map)) return { ok: false, failure: input };
  const first = input.get(keys.stateKey);
  const state = readInitialState(first ?? "");
  return state.ok ? { ok: true, start: { keys, input, state: state.text } } : state;
}

/** One run of the child; what it answers, in the order of R-4. */
export async function runRepeat(
  context: StepContext,
  work: IterationWork,
  child: string,
): Promise<IterationEnd> {
  const { checkpoint, loop } = work;
  const read = repeatStart(context, loop, work.inputs);
  if (!read.ok) return failed(read.failure);
  const { keys, input } = read.start;
  const iteration = checkpoint.nextIteration;
  const values = new Map([
    ...input,
    [keys.stateKey, checkpoint.state],
    [keys.iterationKey, `"${iteration}"`],
  ]);
  const given = new Map([
    ["idempotencyKey", work.key],
    ["resume", work.resume ?? ""],
    ["context", work.inputs.get("context") ?? ""],
  ]);
  const inputs = subflowInputs(context, child, values, given);
  const end = await runSubflow(context, child, inputs, { node: loop, role: "child", iteration });
  if (end.kind === "failed") return childFailed(child, end.failure);
  if (end.kind !== "outputs") return end;
  return readAnswer(context, work, child, keys, end.outputs);
}

/** The outputs of R-6 for a repeat that is done. */
export function repeatOutputs(
  context: StepContext,
  id: string,
  inputs: SlotValues,
  checkpoint: Checkpoint,
): SlotValues {
  const read = readRepeatKeys(givenKeys(context, id, inputs));
  const child = ownEntry(context.plan.version.ir.nodes[id]?.attributes ?? {}, "child") ?? "";
  if (!read.ok) throw new Error(`the keys of repeat ${id} changed: ${read.failure.message}`);
  const names = repeatOutputNames(read.keys.outputKey);
  return new Map([
    [names.result, checkpoint.last ?? "null"],
    [names.state, checkpoint.state],
    [names.iterations, String(checkpoint.nextIteration - 1)],
    [names.completed, String(checkpoint.decision === "done")],
    [names.flow, child],
  ]);
}

function childFailed(child: string, cause: Failure): Stop {
  const message = `The child ${child} failed: ${cause.message}`;
  const details = { ...cause.details, cause: cause.code };
  const { node, iteration } = cause;
  return {
    kind: "failed",
    failure: { ...failure("body_failed", message, details), node, iteration },
    tolerable: true,
  };
}

function readAnswer(
  context: StepContext,
  { checkpoint }: IterationWork,
  child: string,
  keys: RepeatKeys,
  outputs: SlotValues,
): IterationEnd {
  const done = outputs.get(keys.untilKey) ?? "";
  const word = done.trim();
  if (word !== "true" && word !== "false") return failed(notABoolean(child, keys.untilKey, done));
  const next = outputs.get(keys.nextStateKey) ?? "";
  if (word === "false" && next.trim() === "")
    return failed(
      failure(
        "state_missing",
        `The child ${child} wants another iteration (${keys.untilKey} is false) but gave no ${keys.nextStateKey}.`,
      ),
    );
  const state = next.trim() === "" ? null : readState(next);
  if (state !== null && !state.ok) return failed(state.failure);
  const changed = state === null || state.text === checkpoint.state ? null : state.text;
  const last = subflowJson(context, child, outputs, (name) => name.startsWith("_"));
  return {
    kind: "answered",
    answer: { decision: word === "true" ? "done" : "continue", state: changed, summary: "", last },
  };
}

function notABoolean(child: string, untilKey: string, text: string): Failure {
  const came = text.trim() === "" ? "nothing" : excerpt(text, 60);
  return failure(
    "decision_invalid",
    `The output ${untilKey} of the child ${child} must be a real boolean, true or false; it is ${came}.`,
  );
}

/** Texts of the key slots that somebody fills: a blank one is then refused, not taken for its default. */
function givenKeys({ plan }: StepContext, id: string, inputs: SlotValues): ReadonlyMap<string, string> {
  const { ir } = plan.version;
  const isNull = (slot: string) => {
    const pin = ownEntry(ir.nodes[id]?.pins ?? {}, slot);
    return pin === undefined || ("json" in pin && pin.json.trim() === "null");
  };
  const isWired = (slot: string) => ir.edges.some(({ to }) => to.node === id && to.slot === slot);
  return new Map(
    REPEAT_KEYS.flatMap((slot) => {
      const text = inputs.get(slot) ?? "";
      return text.trim() !== "" || isWired(slot) || !isNull(slot) ? [[slot, text] as const] : [];
    }),
  );
}

/** The child's input: the parent's values, or the object of `input`, whose top-level texts may select one of them. */
function inputOf(
  context: StepContext,
  id: string,
  inputs: SlotValues,
  keys: RepeatKeys,
): Map<string, string> | Failure {
  const parent = parentValues(context, id, inputs);
  const written = inputs.get("input") ?? "";
  if (written.trim() === "") {
    for (const key of reservedKeys(keys)) parent.delete(key);
    return parent;
  }
  const scanned = scan(written);
  if (!scanned.ok) return failure("config_invalid", `The input is not JSON: ${scanned.error.message}.`);
  if (scanned.kind !== "object")
    return failure("config_invalid", `The input is JSON but ${scanned.kind}; give an object.`);
  const given = members(scanned.text);
  const reserved = inputReserved(keys, given.keys());
  if (reserved) return reserved;
  return new Map(
    [...given].map(([name, value]) => [
      name,
      (value.startsWith('"') ? parent.get(decodeString(value)) : undefined) ?? value,
    ]),
  );
}

/** Values of the repeat's free pins as JSON texts. */
function parentValues({ plan }: StepContext, id: string, inputs: SlotValues): Map<string, string> {
  const { ir } = plan.version;
  const slots = Object.keys(ir.nodes[id]?.inputs ?? {});
  return new Map(
    slots.map((slot) => [slot, slotJson(inputType(ir, plan.registry, id, slot), inputs.get(slot) ?? "")]),
  );
}
