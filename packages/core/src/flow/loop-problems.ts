import { parseTimeout } from "../duration.ts";
import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import { members } from "../json/members.ts";
import { scan } from "../json/scan.ts";
import { readMaxIterations } from "../loop/config.ts";
import type { LimitCaps } from "../loop/config.ts";
import type { LoopFormKind } from "../loop/form.ts";
import { LOOP_OPTIONS, readLoopOptions } from "../loop/options.ts";
import { readOutputMapping } from "../loop/output-mapping.ts";
import { inputReserved, readRepeatKeys, REPEAT_KEYS } from "../loop/repeat-keys.ts";
import { readInitialState } from "../loop/state.ts";

/** Text of a loop's slot before anything runs: undefined when nobody fills it, null when only execution can tell. */
export type SettingText = (slot: string) => string | null | undefined;

const PACING: ReadonlySet<string> = new Set(["delayMs", "backoffFactor", "maxDelayMs"]);

/**
 * What is wrong with the settings of a loop as far as they are known before it begins, by slot: limits and initial state (L-6 to
 * L-9), options (O-1 to O-5), keys and input of a repeat, output mapping (OP-4).
 */
export function loopProblems(
  form: LoopFormKind,
  text: SettingText,
  caps: LimitCaps,
): ReadonlyMap<string, Failure> {
  const problems = new Map<string, Failure>();
  const check = (slot: string, problem: (known: string) => Failure | null): void => {
    const known = text(slot);
    const found = known === null || known === undefined ? null : problem(known);
    if (found) problems.set(slot, found);
  };
  const iterations = (known: string) => invalid(readMaxIterations(form, known, caps));
  check("maxIterations", iterations);
  const required = form === "repeat" && text("maxIterations") === undefined ? iterations("") : null;
  if (required) problems.set("maxIterations", required);
  check("timeout", (known) => invalid(parseTimeout(known, caps.maxTimeoutMs)));
  if (form !== "repeat")
    check("state", (known) => {
      const state = readInitialState(known);
      return state.ok ? null : state.failure;
    });
  if (form === "operation")
    check("outputMapping", (known) => {
      const mapping = readOutputMapping(known);
      return mapping.ok ? null : mapping.failure;
    });
  for (const [slot, found] of optionProblems(text)) problems.set(slot, found);
  if (form === "repeat") for (const [slot, found] of repeatProblems(text)) problems.set(slot, found);
  return problems;
}

/** Each option by itself; the three of the pause together, because they depend on each other (O-1). */
function* optionProblems(text: SettingText): Generator<[slot: string, Failure]> {
  const known = [...LOOP_OPTIONS].flatMap((slot) => {
    const value = text(slot);
    return value === null || value === undefined ? [] : ([[slot, value]] as const);
  });
  const groups = [
    known.filter(([slot]) => PACING.has(slot)),
    ...known.filter(([slot]) => !PACING.has(slot)).map((one) => [one]),
  ];
  for (const group of groups) {
    const read = readLoopOptions(new Map(group));
    if (read.ok) continue;
    const named = /^[A-Za-z]+/.exec(read.failure.message)?.[0] ?? "";
    yield [LOOP_OPTIONS.has(named) ? named : (group[0]?.[0] ?? "delayMs"), read.failure];
  }
}

function* repeatProblems(text: SettingText): Generator<[slot: string, Failure]> {
  const texts = REPEAT_KEYS.map((slot) => [slot, text(slot)] as const);
  if (texts.some(([, value]) => value === null)) return;
  const given = texts.flatMap(([slot, value]) => (typeof value === "string" ? [[slot, value] as const] : []));
  const keys = readRepeatKeys(new Map(given));
  if (!keys.ok) return yield [keys.option, keys.failure];
  const input = text("input");
  if (input === null || input === undefined || input.trim() === "") return;
  const scanned = scan(input);
  if (!scanned.ok)
    yield ["input", failure("config_invalid", `the input is not JSON: ${scanned.error.message}`)];
  else if (scanned.kind !== "object")
    yield ["input", failure("config_invalid", `the input is JSON but ${scanned.kind}; give an object`)];
  else {
    const reserved = inputReserved(keys.keys, members(scanned.text).keys());
    if (reserved) yield ["input", reserved];
  }
}

function invalid(parsed: { ok: true } | { ok: false; message: string }): Failure | null {
  return parsed.ok ? null : failure("config_invalid", parsed.message);
}
