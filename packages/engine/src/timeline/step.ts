import { ByteReader, ByteWriter } from "./bytes.ts";
import { applyDelta, makeDelta } from "./delta.ts";
import { packText, unpackText } from "./packed-text.ts";

/**
 * What the history row of an iteration keeps of the state after it:
 * - `same`: the state of an earlier row; a few bytes whatever its size.
 * - `begin`: the state before the iteration and what changed, where no earlier row can be built upon.
 * - `whole`: the state itself.
 * - `change`: what changed since the last row that is not `same`.
 * `whole` and `begin` need no other row; the others say how many iterations back the row is that they go back to.
 */
const KIND = { same: 1, begin: 2, whole: 3, change: 4 } as const;

/** Bytes at the beginning of a row's step that say everything about it but the texts. */
export const STEP_HEAD_BYTES = 16;

/** A chain of changes ends after so many of them, and so many iterations: that bounds what a read has to build. */
const CHANGES_MAX = 64;
const CHAIN_MAX_ITERATIONS = 1000;
/** Shorter states are kept whole: nothing that says what changed is shorter. */
const TINY_UNITS = 40;
/** A change below this is kept without asking whether the whole state were smaller. */
const SMALL_CHANGE_BYTES = 64;

/** Where a step stands in its chain; distances are in iterations. */
export type StepHead = {
  readonly kind: keyof typeof KIND;
  /** To the row that is not `same`; 0 for that row itself. */
  readonly toText: number;
  /** From there to the row that needs no other. */
  readonly toWhole: number;
  /** How many changes lie between them, with the last. */
  readonly changes: number;
};

/** Reads the head of a step, of which the first `STEP_HEAD_BYTES` are enough. Throws on bytes that are none. */
export function stepHead(step: Uint8Array): StepHead {
  const reader = new ByteReader(step);
  const number = reader.number();
  switch (number) {
    case KIND.begin:
      return { kind: "begin", toText: 0, toWhole: 0, changes: 0 };
    case KIND.whole:
      return { kind: "whole", toText: 0, toWhole: 0, changes: 0 };
    case KIND.same:
      return { kind: "same", toText: reader.number(), toWhole: reader.number(), changes: reader.number() };
    case KIND.change:
      return { kind: "change", toText: 0, toWhole: reader.number(), changes: reader.number() };
    default:
      throw new Error(`a stored state step has the unknown kind ${number}`);
  }
}

/**
 * The step to keep with an iteration that turned the state `before` into `after`. `previous` is the step of the iteration before
 * it, or at least its head; null when there is none to build upon. Texts that did not change must be equal.
 */
export async function makeStep(
  previous: Uint8Array | null,
  before: string,
  after: string,
): Promise<Uint8Array> {
  if (previous === null) return beginning(before, after);
  const { toText, toWhole, changes } = stepHead(previous);
  const back = toText + 1;
  if (before === after)
    return new ByteWriter().number(KIND.same).number(back).number(toWhole).number(changes).done();
  const distance = toWhole + back;
  if (after.length < TINY_UNITS || changes >= CHANGES_MAX || distance > CHAIN_MAX_ITERATIONS)
    return whole(after);
  const delta = await makeDelta(before, after);
  if (delta.length > SMALL_CHANGE_BYTES && delta.length * 4 > after.length) {
    const other = await whole(after);
    if (other.length <= delta.length) return other;
  } else if (delta.length > after.length) return whole(after);
  return new ByteWriter()
    .number(KIND.change)
    .number(distance)
    .number(changes + 1)
    .bytes(delta)
    .done();
}

async function beginning(before: string, after: string): Promise<Uint8Array> {
  const base = await packText(before, "");
  const writer = new ByteWriter().number(KIND.begin).number(base.length).bytes(base);
  return before === after ? writer.done() : writer.bytes(await makeDelta(before, after)).done();
}

async function whole(after: string): Promise<Uint8Array> {
  return new ByteWriter()
    .number(KIND.whole)
    .bytes(await packText(after, ""))
    .done();
}

/**
 * The state after the last of these steps: of a row that needs no other, and of all rows after it up to the one asked for that are
 * not `same`, in order. Throws when they are no such chain.
 */
export function restoreState(steps: readonly Uint8Array[]): string {
  let state: string | null = null;
  for (const step of steps) {
    const reader = new ByteReader(step);
    const kind = reader.number();
    if (kind === KIND.whole) state = unpackText(reader.rest(), "");
    else if (kind === KIND.begin) {
      const before = unpackText(reader.bytes(reader.number()), "");
      const delta = reader.rest();
      state = delta.length === 0 ? before : applyDelta(before, delta);
    } else if (kind === KIND.change && state !== null) {
      reader.number();
      reader.number();
      state = applyDelta(state, reader.rest());
    } else throw new Error("the stored states are no chain");
  }
  if (state === null) throw new Error("the stored states are no chain");
  return state;
}

/** The state before the iteration of a `begin` step; null for another. */
export function stateBefore(step: Uint8Array): string | null {
  if (stepHead(step).kind !== "begin") return null;
  const reader = new ByteReader(step);
  reader.number();
  return unpackText(reader.bytes(reader.number()), "");
}
