import { failure } from "../errors.ts";
import type { Failure } from "../errors.ts";
import { excerpt } from "../json/excerpt.ts";
import { members } from "../json/members.ts";
import { scan } from "../json/scan.ts";

/** What a loop watches for while it goes on; null watches for nothing of the kind (OP-7). */
export type Guards = {
  /** Iterations in a row that left the state as it was. */
  readonly noProgress: number | null;
  /** To come back to one of so many states before is to go round in circles. */
  readonly oscillation: number | null;
  /** By how many bytes the state may grow. */
  readonly growthBytes: number | null;
  /** How many tokens models may spent on the loop. */
  readonly tokens: number | null;
  readonly onTrip: "wait" | "fail" | "warn";
};

/** What guards look back at, stored with each iteration: the same judgement follows after a crash. */
export type GuardMemory = {
  /** Beginnings of the digests of the latest states, oldest first. */
  readonly seen: readonly string[];
  /** Iterations in a row that left the state as it was. */
  readonly same: number;
  /** Size of the state, and tokens spent, when counting began. */
  readonly bytes: number;
  readonly tokens: number;
};

/** Facts of an iteration that says `continue`. Digests are of the states before and after it; sizes in bytes. */
export type GuardFacts = {
  readonly before: { readonly digest: string; readonly bytes: number };
  readonly after: { readonly digest: string; readonly bytes: number };
  /** Tokens spent on the loop so far. */
  readonly tokens: number;
};

/** A guard that tripped: which one, one sentence of evidence, and the numbers in it. */
export type Trip = {
  readonly guard: "noProgress" | "oscillation" | "growthBytes" | "tokens";
  readonly evidence: string;
  readonly details: Readonly<Record<string, number>>;
};

export type GuardsResult =
  | { readonly ok: true; readonly guards: Guards | null }
  | { readonly ok: false; readonly failure: Failure };

const NAMES = ["noProgress", "oscillation", "growthBytes", "tokens"] as const;
const ON_TRIP = ["wait", "fail", "warn"] as const;
/** More states are not remembered. */
const OSCILLATION_MAX = 100;
const DIGEST_UNITS = 16;

/** `guards` as JSON text: blank and `null` mean none; `onTrip` is `wait` when it is left out. */
export function readGuards(text: string): GuardsResult {
  if (text.trim() === "") return { ok: true, guards: null };
  const scanned = scan(text);
  if (!scanned.ok) return refused(`guards is not JSON: ${scanned.error.message}`);
  if (scanned.kind === "null") return { ok: true, guards: null };
  if (scanned.kind !== "object") return refused(`guards must be an object of ${NAMES.join(", ")} and onTrip`);
  const given = members(scanned.text);
  const unknown = [...given.keys()].find((key) => key !== "onTrip" && !NAMES.some((name) => name === key));
  if (unknown !== undefined) return refused(`guards: unknown guard ${excerpt(unknown, 40)}`);
  const counts = { noProgress: null, oscillation: null, growthBytes: null, tokens: null } as Record<
    (typeof NAMES)[number],
    number | null
  >;
  for (const name of NAMES) {
    const value = given.get(name);
    if (value === undefined) continue;
    const [least, most] = name === "oscillation" ? [2, OSCILLATION_MAX] : [1, 999_999_999_999];
    if (!/^[1-9][0-9]{0,11}$/.test(value) || Number(value) < least || Number(value) > most)
      return refused(`guards.${name} is ${excerpt(value, 60)}; give a whole number from ${least} to ${most}`);
    counts[name] = Number(value);
  }
  if (NAMES.every((name) => counts[name] === null))
    return refused(`guards names no guard; give ${NAMES.join(", ")}`);
  const wanted = given.get("onTrip") ?? '"wait"';
  const onTrip = ON_TRIP.find((word) => JSON.stringify(word) === wanted);
  if (onTrip === undefined)
    return refused(`guards.onTrip is ${excerpt(wanted, 60)}; give ${ON_TRIP.join(", ")}`);
  return { ok: true, guards: { ...counts, onTrip } };
}

/** Where counting begins: with the state as it is, and so many tokens spent. */
export function beginGuards({ digest, bytes }: GuardFacts["after"], tokens: number): GuardMemory {
  return { seen: [short(digest)], same: 0, bytes, tokens };
}

/**
 * What guards make of an iteration: the memory to store, and the first guard that trips, after which counting begins anew. Pure: the
 * same memory and facts give the same judgement.
 */
export function judgeGuards(
  guards: Guards,
  memory: GuardMemory,
  facts: GuardFacts,
): { readonly memory: GuardMemory; readonly trip: Trip | null } {
  const { after, tokens } = facts;
  const digest = short(after.digest);
  const same = digest === memory.seen.at(-1) ? memory.same + 1 : 0;
  const trip = tripOf(guards, memory, facts, same);
  if (trip !== null) return { memory: beginGuards(after, tokens), trip };
  const seen = same > 0 ? memory.seen : [...memory.seen, digest].slice(-(guards.oscillation ?? 1));
  return { memory: { ...memory, seen, same }, trip: null };
}

function tripOf(
  guards: Guards,
  memory: GuardMemory,
  { after, tokens }: GuardFacts,
  same: number,
): Trip | null {
  const { noProgress, oscillation, growthBytes, tokens: mostTokens } = guards;
  if (noProgress !== null && same >= noProgress)
    return tripped("noProgress", `the state has not changed for ${same} iterations`, { iterations: same });
  const back = memory.seen.length - memory.seen.lastIndexOf(short(after.digest));
  if (oscillation !== null && same === 0 && back <= memory.seen.length)
    return tripped("oscillation", `the state is what it was ${back} states ago`, { states: back });
  const grown = after.bytes - memory.bytes;
  if (growthBytes !== null && grown > growthBytes)
    return tripped("growthBytes", `the state has grown by ${grown} bytes to ${after.bytes}`, {
      ...{ grownBytes: grown, bytes: after.bytes },
    });
  const spent = tokens - memory.tokens;
  if (mostTokens !== null && spent > mostTokens)
    return tripped("tokens", `models have spent ${spent} tokens on the loop`, { tokens: spent });
  return null;

  function tripped(guard: Trip["guard"], what: string, details: Trip["details"]): Trip {
    return { guard, evidence: `Guard ${guard} (${guards[guard]}): ${what}.`, details };
  }
}

/** The memory as it is stored. */
export function guardMemoryText(memory: GuardMemory): string {
  return JSON.stringify(memory);
}

/** The memory that `guardMemoryText` wrote. */
export function guardMemoryOf(text: string): GuardMemory {
  return JSON.parse(text) as GuardMemory;
}

function short(digest: string): string {
  return digest.slice(0, DIGEST_UNITS);
}

function refused(message: string): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: failure("config_invalid", message) };
}
