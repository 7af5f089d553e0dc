import type { Tokens } from "./tokens.ts";

const MAX_EXACT = "9007199254740991";
/** Fewer digits than this, without an exponent, are below the largest double. */
const FINITE_DIGITS = 300;

/**
 * Why the current number token may not pass (L-45), or null: integers beyond ±(2^53−1) lose digits in a double,
 * anything beyond the range of doubles becomes infinite.
 */
export function numberProblem(tokens: Tokens): string | null {
  const { text, start, end } = tokens;
  if (!tokens.integer) {
    if (!tokens.exponent && end - start < FINITE_DIGITS) return null;
    return Number.isFinite(Number(tokens.raw())) ? null : "is not finite as a double";
  }
  const from = text.charCodeAt(start) === 45 ? start + 1 : start;
  const digits = end - from;
  if (digits < MAX_EXACT.length) return null;
  const fits = digits === MAX_EXACT.length && text.slice(from, end) <= MAX_EXACT;
  return fits ? null : "is an integer beyond ±9007199254740991; write it as a string";
}

const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * One spelling for each decimal value, exact (never through a double): `1.0`, `1` and `1e0` give `1`. −0 stays apart
 * from 0. Integers below 10^15 are plain digits, everything else is digits and an exponent.
 */
export function canonicalNumber(raw: string): string {
  const parts = PARTS.exec(raw);
  if (parts === null) throw new Error("not a JSON number");
  const [, sign = "", whole = "", fraction = "", power = "0"] = parts;
  const all = withoutLeadingZeros(whole + fraction);
  const digits = withoutTrailingZeros(all);
  if (digits === "") return `${sign}0`;
  const exponent = BigInt(power) - BigInt(fraction.length) + BigInt(all.length - digits.length);
  if (exponent >= 0n && exponent + BigInt(digits.length) <= 15n) {
    return sign + digits + "0".repeat(Number(exponent));
  }
  return `${sign}${digits}e${exponent}`;
}

function withoutLeadingZeros(digits: string): string {
  let from = 0;
  while (digits.charCodeAt(from) === 48) from += 1;
  return digits.slice(from);
}

/** By hand: the obvious regular expression is quadratic on long runs of zeros. */
function withoutTrailingZeros(digits: string): string {
  let to = digits.length;
  while (to > 0 && digits.charCodeAt(to - 1) === 48) to -= 1;
  return digits.slice(0, to);
}
