import { excerpt } from "../json/excerpt.ts";
import { members } from "../json/members.ts";
import { scan } from "../json/scan.ts";

/** How many iterations of a run one job may do, and for how many ms it may begin another. */
export type Burst = { readonly iterations: number; readonly ms: number };

export type BurstResult =
  | { readonly ok: true; readonly burst: Burst | null }
  | { readonly ok: false; readonly problem: string };

const MAX_ITERATIONS = 1_000_000;
const MAX_MS = 60_000;
const DEFAULT_MS = 1000;
const FIELDS = new Set(["iterations", "ms"]);
const WHOLE = /^[0-9]{1,7}$/;

/**
 * The option `burst` of a loop as JSON text, `{"iterations":50,"ms":200}`: 1 to 1,000,000 iterations, 1 to 60,000 ms, by default
 * 1000. Blank and `null` mean that the operator's setting holds. The problem says what to write instead.
 */
export function readBurst(text: string): BurstResult {
  if (text.trim() === "") return { ok: true, burst: null };
  const scanned = scan(text);
  if (!scanned.ok) return problem(`burst is not JSON: ${scanned.error.message}`);
  if (scanned.kind === "null") return { ok: true, burst: null };
  if (scanned.kind !== "object") return problem("burst must be an object of iterations and ms");
  const given = members(scanned.text);
  const unknown = [...given.keys()].find((key) => !FIELDS.has(key));
  if (unknown !== undefined) return problem(`burst: unknown option ${excerpt(unknown, 40)}`);
  const iterations = whole(given.get("iterations") ?? "", MAX_ITERATIONS);
  if (iterations === null)
    return problem(`burst.iterations must be a whole number from 1 to ${MAX_ITERATIONS}`);
  const ms = whole(given.get("ms") ?? String(DEFAULT_MS), MAX_MS);
  if (ms === null) return problem(`burst.ms must be a whole number from 1 to ${MAX_MS}`);
  return { ok: true, burst: { iterations, ms } };
}

function whole(text: string, most: number): number | null {
  const value = WHOLE.test(text) ? Number(text) : 0;
  return value >= 1 && value <= most ? value : null;
}

function problem(text: string): BurstResult {
  return { ok: false, problem: text };
}
