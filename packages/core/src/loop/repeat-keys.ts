import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import type { SlotType } from "../flow/ir.ts";

/** Names by which a repeat and its child speak. */
export type RepeatKeys = {
  readonly stateKey: string;
  readonly nextStateKey: string;
  readonly untilKey: string;
  readonly iterationKey: string;
  readonly outputKey: string;
};

export type RepeatKey = keyof RepeatKeys;

export type RepeatKeysReading =
  | { readonly ok: true; readonly keys: RepeatKeys }
  | { readonly ok: false; readonly option: RepeatKey; readonly failure: Failure };

const DEFAULTS: RepeatKeys = {
  stateKey: "repeat_state",
  nextStateKey: "repeat_next_state",
  untilKey: "repeat_done",
  iterationKey: "repeat_iteration",
  outputKey: "repeat_result",
};

export const REPEAT_KEYS = Object.keys(DEFAULTS) as readonly RepeatKey[];

/**
 * The keys of a repeat from the texts of their slots. A slot nobody filled is left out of the map and has its default; a
 * blank text is refused. The first four are pairwise distinct. `config_invalid`, naming the options.
 */
export function readRepeatKeys(texts: ReadonlyMap<string, string>): RepeatKeysReading {
  const keys: Record<RepeatKey, string> = { ...DEFAULTS };
  for (const option of REPEAT_KEYS) {
    const text = texts.get(option);
    if (text === undefined) continue;
    if (text.trim() === "") return refused(option, `${option} is blank; leave it out or give a name`);
    keys[option] = text;
  }
  const owners = new Map<string, RepeatKey>();
  for (const option of REPEAT_KEYS) {
    if (option === "outputKey") continue;
    const other = owners.get(keys[option]);
    if (other !== undefined)
      return refused(
        option,
        `${other} and ${option} are both ${JSON.stringify(keys[option])}; give each a name of its own`,
      );
    owners.set(keys[option], option);
  }
  return { ok: true, keys };
}

/** Keys that the loop itself writes, which its input may not set. */
export function reservedKeys({ nextStateKey, untilKey, iterationKey }: RepeatKeys): readonly string[] {
  return [nextStateKey, untilKey, iterationKey];
}

/** Which of the keys of an input object are reserved, as `input_reserved`; null when none is. */
export function inputReserved(keys: RepeatKeys, given: Iterable<string>): Failure | null {
  const reserved = new Set(reservedKeys(keys));
  const set = [...given].filter((key) => reserved.has(key));
  if (set.length === 0) return null;
  const names = set.map((key) => {
    const option = REPEAT_KEYS.find((one) => one !== "stateKey" && one !== "outputKey" && keys[one] === key);
    return `${JSON.stringify(key)} (${option})`;
  });
  return failure("input_reserved", `the input sets ${names.join(" and ")}, which the loop itself writes`);
}

/** Slot names of R-6 with what each holds, for one `outputKey`. */
export function repeatOutputNames(outputKey: string) {
  return {
    result: outputKey,
    state: `${outputKey}_state`,
    iterations: `${outputKey}_iterations`,
    completed: `${outputKey}_completed`,
    flow: `${outputKey}_flow`,
  } as const;
}

/** The same names with their types; a blank key is the default one. */
export function repeatOutputTypes(outputKey: string): Readonly<Record<string, SlotType>> {
  const names = repeatOutputNames(outputKey.trim() === "" ? DEFAULTS.outputKey : outputKey);
  return Object.fromEntries([
    [names.result, "json"],
    [names.state, "json"],
    [names.iterations, "text"],
    [names.completed, "bool"],
    [names.flow, "text"],
  ]);
}

function refused(option: RepeatKey, message: string): RepeatKeysReading {
  return { ok: false, option, failure: failure("config_invalid", message) };
}
