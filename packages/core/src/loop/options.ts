import { failure } from "../errors.ts";
import type { ErrorCode, Failure } from "../errors.ts";
import { FORBIDDEN, RESERVED } from "../expression/allowed.ts";
import { excerpt } from "../json/excerpt.ts";
import { members } from "../json/members.ts";
import { scan } from "../json/scan.ts";
import { readGuards } from "./guards.ts";
import type { Guards } from "./guards.ts";
import { readBurst } from "./burst.ts";
import { pauseMs, readPacing } from "./pacing.ts";
import type { Pacing } from "./pacing.ts";

/** Extra attempts of one iteration after a step error, and the pauses before them (O-3). */
export type Retries = { readonly max: number; readonly pacing: Pacing };

export type OnExhausted = "fail" | "stop";

/** The options that every form of a loop takes (4.1). */
export type LoopOptions = {
  readonly pacing: Pacing;
  readonly continueOnError: boolean;
  readonly retries: Retries | null;
  readonly onExhausted: OnExhausted;
  readonly itemVariable: string;
  /** Whether the states of its iterations are kept (OP-7). */
  readonly timeline: boolean;
  /** What parks, fails or warns a loop that gets nowhere (OP-7). */
  readonly guards: Guards | null;
};

export type LoopOptionsResult =
  | { readonly ok: true; readonly options: LoopOptions }
  | { readonly ok: false; readonly failure: Failure };

/** The options of a loop that sets none. */
export const DEFAULT_LOOP_OPTIONS: LoopOptions = {
  pacing: { delayMs: 0, backoffFactor: 1, maxDelayMs: 60_000 },
  continueOnError: false,
  retries: null,
  onExhausted: "fail",
  itemVariable: "attempt",
  timeline: true,
  guards: null,
};

/** Names of the common options, as slots and as keys of the options object. */
export const LOOP_OPTIONS: ReadonlySet<string> = new Set([
  "delayMs",
  "backoffFactor",
  "maxDelayMs",
  "continueOnError",
  "retries",
  "burst",
  "onExhausted",
  "itemVariable",
  "timeline",
  "guards",
]);

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
/** Names that expressions of a loop have already (OP-5, OP-6). */
const TAKEN = new Set(["state", "input", "iteration", "index", "last", "payload", "results"]);
const RETRY_OPTIONS = new Set(["max", "delayMs", "backoffFactor"]);
const ONE_TO_SEVEN_DIGITS = /^[0-9]{1,7}$/;

/**
 * The common options from the resolved texts of their slots, blank → default (O-1 to O-5). `delay_invalid` for a pause,
 * `config_invalid` for the rest, unknown options included (OP-7). A slot that nobody filled is left out of the map.
 */
export function readLoopOptions(
  texts: ReadonlyMap<string, string>,
  defaultOnExhausted: OnExhausted = "fail",
): LoopOptionsResult {
  const unknown = [...texts.keys()].filter((name) => !LOOP_OPTIONS.has(name));
  if (unknown.length > 0) return refused("config_invalid", unknownOptions(unknown));
  const pacing = readPacing({
    delayMs: texts.get("delayMs"),
    backoffFactor: texts.get("backoffFactor"),
    maxDelayMs: texts.get("maxDelayMs"),
  });
  if (!pacing.ok) return refused("delay_invalid", pacing.problem);
  const retries = readRetries(texts.get("retries") ?? "");
  if (!retries.ok) return retries;
  const burst = readBurst(texts.get("burst") ?? "");
  if (!burst.ok) return refused("config_invalid", burst.problem);
  const continueOnError = oneOf("continueOnError", texts, ["false", "true"], "false");
  if (!continueOnError.ok) return continueOnError;
  const onExhausted = oneOf("onExhausted", texts, ["fail", "stop"], defaultOnExhausted);
  if (!onExhausted.ok) return onExhausted;
  const timeline = oneOf("timeline", texts, ["true", "false"], "true");
  if (!timeline.ok) return timeline;
  const guards = readGuards(texts.get("guards") ?? "");
  if (!guards.ok) return guards;
  const itemVariable = texts.get("itemVariable") ?? DEFAULT_LOOP_OPTIONS.itemVariable;
  const problem = itemVariableProblem(itemVariable);
  if (problem !== null) return refused("config_invalid", problem);
  return {
    ok: true,
    options: {
      pacing: pacing.pacing,
      continueOnError: continueOnError.word === "true",
      retries: retries.retries,
      onExhausted: onExhausted.word,
      itemVariable,
      timeline: timeline.word === "true",
      guards: guards.guards,
    },
  };
}

/** Whole ms to wait before the nth extra attempt of an iteration, counted from 1 (O-3). */
export function retryPauseMs(retries: Retries, nth: number): number {
  return pauseMs(retries.pacing, nth + 1);
}

type RetriesResult =
  | { readonly ok: true; readonly retries: Retries | null }
  | { readonly ok: false; readonly failure: Failure };

/** `retries` as JSON text: blank, `null` and a `max` of 0 mean none. */
function readRetries(text: string): RetriesResult {
  if (text.trim() === "") return { ok: true, retries: null };
  const scanned = scan(text);
  if (!scanned.ok) return refused("config_invalid", `retries is not JSON: ${scanned.error.message}`);
  if (scanned.kind === "null") return { ok: true, retries: null };
  if (scanned.kind !== "object")
    return refused("config_invalid", "retries must be an object of max, delayMs and backoffFactor");
  const given = members(scanned.text);
  const unknown = [...given.keys()].filter((key) => !RETRY_OPTIONS.has(key));
  if (unknown.length > 0) return refused("config_invalid", `retries: ${unknownOptions(unknown)}`);
  const max = given.get("max") ?? "";
  if (!ONE_TO_SEVEN_DIGITS.test(max))
    return refused(
      "config_invalid",
      `retries.max is ${excerpt(max, 60)}; give a whole number of 1 to 7 digits`,
    );
  const pacing = readPacing({ delayMs: given.get("delayMs"), backoffFactor: given.get("backoffFactor") });
  if (!pacing.ok) return refused("delay_invalid", `retries.${pacing.problem}`);
  return { ok: true, retries: Number(max) === 0 ? null : { max: Number(max), pacing: pacing.pacing } };
}

type WordResult<W> =
  | { readonly ok: true; readonly word: W }
  | { readonly ok: false; readonly failure: Failure };

function oneOf<W extends string>(
  name: string,
  texts: ReadonlyMap<string, string>,
  words: readonly W[],
  fallback: W,
): WordResult<W> {
  const text = (texts.get(name) ?? "").trim();
  if (text === "") return { ok: true, word: fallback };
  const word = words.find((known) => known === text);
  if (word !== undefined) return { ok: true, word };
  return refused("config_invalid", `${name} is ${excerpt(text, 60)}; give ${words.join(" or ")}`);
}

/** Why a text cannot name the object with the counts of attempts, or null (O-5). */
export function itemVariableProblem(name: string): string | null {
  if (name.trim() === "") return "itemVariable is blank; leave it out or give a name";
  if (!IDENTIFIER.test(name)) return `itemVariable is ${excerpt(name, 60)}, which is not a name`;
  if (TAKEN.has(name) || RESERVED.has(name) || FORBIDDEN.has(name))
    return `itemVariable is ${name}, which has a meaning of its own; choose another name`;
  return null;
}

function unknownOptions(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => excerpt(name, 40));
  return `unknown option${names.length > 1 ? "s" : ""} ${shown.join(", ")}`;
}

function refused(code: ErrorCode, message: string): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: failure(code, message) };
}
